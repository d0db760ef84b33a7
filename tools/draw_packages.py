"""Write which packages (packages of workflow_scripts) import which, as a graphviz file on stdout.

`make packages` draws it. Imports come from grimp, the graph under import-linter. An arrow is left
out where a longer way says the same; so are modules that all import (errors, files, ...).
"""

import sys

import grimp
import networkx

PROJECT = "workflow_scripts"
STYLE = """digraph packages {
  rankdir=TB; bgcolor="transparent"; ranksep=0.45; nodesep=0.3
  node [shape=box, style="rounded,filled", fillcolor="#eef3f8", color="#54708c", height=0.35,
        fontname="Helvetica", fontsize=12]
  edge [color="#8a97a5", arrowsize=0.6]
"""


def package_imports() -> dict[str, set[str]]:
    """Return {package: packages that it imports}.

    A module next to them that imports one is a package too.
    """
    graph = grimp.build_graph(PROJECT, cache_dir=None)
    packages = {name for name in graph.find_children(PROJECT) if graph.find_children(name)}
    commands = {
        name
        for name in graph.find_children(PROJECT) - packages
        if any(
            graph.direct_import_exists(importer=name, imported=package, as_packages=True)
            for package in packages
        )
    }
    inside = {name: {name, *graph.find_descendants(name)} for name in packages | commands}
    package_of = {module: package for package, modules in inside.items() for module in modules}
    return {
        package: {
            package_of[imported]
            for module in modules
            for imported in graph.find_modules_directly_imported_by(module)
            if imported in package_of and package_of[imported] != package
        }
        for package, modules in inside.items()
    }


def main() -> None:
    shown = networkx.transitive_reduction(networkx.DiGraph(package_imports()))
    lines = [STYLE]
    for package in sorted(shown):
        name = package.removeprefix(f"{PROJECT}.")
        lines.append(f'  "{name}"\n')
        for imported in sorted(shown[package]):
            lines.append(f'  "{name}" -> "{imported.removeprefix(f"{PROJECT}.")}"\n')
    sys.stdout.write("".join(lines) + "}\n")


if __name__ == "__main__":
    main()
