"""Write which rooms (packages of workflow_scripts) import which, as a graphviz file on stdout.

`make rooms` draws it. Imports come from grimp, the graph under import-linter. An arrow is left out
where a longer way says the same, unless it is in a circle; so are modules that all import (errors,
files, ...).
"""

import sys
from pathlib import Path

import grimp

PROJECT = "workflow_scripts"
STYLE = """digraph rooms {
  rankdir=TB; bgcolor="transparent"; ranksep=0.45; nodesep=0.3
  node [shape=box, style="rounded,filled", fillcolor="#eef3f8", color="#54708c", height=0.35,
        fontname="Helvetica", fontsize=12]
  edge [color="#8a97a5", arrowsize=0.6]
"""


def room_imports() -> dict[str, set[str]]:
    """Return {room: rooms that it imports}; a module beside them that imports one is a room too."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    graph = grimp.build_graph(PROJECT, cache_dir=None)
    rooms = {name for name in graph.find_children(PROJECT) if graph.find_children(name)}
    doors = {
        name
        for name in graph.find_children(PROJECT) - rooms
        if any(
            graph.direct_import_exists(importer=name, imported=room, as_packages=True)
            for room in rooms
        )
    }
    inside = {name: {name, *graph.find_descendants(name)} for name in rooms | doors}
    room_of = {module: room for room, modules in inside.items() for module in modules}
    return {
        room: {
            room_of[imported]
            for module in modules
            for imported in graph.find_modules_directly_imported_by(module)
            if imported in room_of and room_of[imported] != room
        }
        for room, modules in inside.items()
    }


def reaches(imports: dict[str, set[str]], start: str, end: str, seen: set[str]) -> bool:
    """Return whether a room imports another, if by way of others."""
    seen.add(start)
    return end in imports[start] or any(
        reaches(imports, room, end, seen) for room in imports[start] - seen
    )


def main() -> None:
    imports = room_imports()
    lines = [STYLE]
    for room in sorted(imports):
        lines.append(f'  "{room.removeprefix(PROJECT + ".")}"\n')
        for imported in sorted(imports[room]):
            others = imports[room] - {imported}
            circular = reaches(imports, imported, room, set())
            if circular or not any(reaches(imports, other, imported, {room}) for other in others):
                names = (name.removeprefix(PROJECT + ".") for name in (room, imported))
                lines.append('  "{}" -> "{}"\n'.format(*names))
    sys.stdout.write("".join(lines) + "}\n")


if __name__ == "__main__":
    main()
