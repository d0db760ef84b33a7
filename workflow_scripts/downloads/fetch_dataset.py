"""Fetch one data set or corpus of the registry below the data root, and record what is there."""

import argparse
from pathlib import Path

from workflow_scripts.downloads.mirrors import add_source_arguments, open_mirror
from workflow_scripts.downloads.registry import find_data_set, read_registry
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import write_json

EMBEDDED_DATA = Path(__file__).resolve().parents[2] / "resources" / "sample_data"


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True, help="entry of the registry")
    parser.add_argument("--registry", default="config/registry.yaml", help="registry file")
    parser.add_argument("--root", type=Path, required=True, help="data root to fetch into")
    add_source_arguments(parser, "laid out as the data root")
    parser.add_argument("--record", required=True, help="JSON file: URLs, hashes, sizes, dates")
    arguments = parser.parse_args(argv)

    data_set = find_data_set(read_registry(arguments.registry), arguments.name, arguments.registry)
    if arguments.root.exists() and not arguments.root.is_dir():
        raise UserError(f"--root {arguments.root}", "is not a folder", "give a folder")
    if arguments.root.resolve() == EMBEDDED_DATA:
        raise UserError(
            f"--root {arguments.root}",
            "is the embedded data set, which real files would mix with",
            "give a folder of your own (config: data.root)",
        )
    from workflow_scripts.downloads.fetching import fetch

    mirror = open_mirror(arguments.mirror or None)
    files = fetch(data_set, arguments.root, mirror, arguments.offline)
    licence = {"licence": data_set.licence, "citation": data_set.citation}
    write_json(arguments.record, {"name": data_set.name, **licence, "files": files})


if __name__ == "__main__":
    run_command(main)
