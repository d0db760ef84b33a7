"""Say which files no program can fetch, where to get them and where to put them."""

import argparse
from pathlib import Path

from workflow_scripts.downloads.registry import find_data_set, read_registry
from workflow_scripts.errors import run_command


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--registry", default="config/registry.yaml", help="registry file")
    parser.add_argument("--root", type=Path, required=True, help="data root")
    parser.add_argument("--names", nargs="*", required=True, help="gated entries of the registry")
    arguments = parser.parse_args(argv)

    registry = read_registry(arguments.registry)
    lines = []
    for name in arguments.names:
        data_set = find_data_set(registry, name, arguments.registry)
        paths = [arguments.root / file.path for file in data_set.all_files]
        if missing := [str(path) for path in paths if not path.is_file()]:
            lines.append(f"- {name}: {data_set.obtain}. Missing: {', '.join(missing)}")
    nothing = "Fetched: nothing is left to be put there by hand."
    header = "Fetched, but for what has to be put there by hand:" if lines else nothing
    print(header, *lines, sep="\n")


if __name__ == "__main__":
    run_command(main)
