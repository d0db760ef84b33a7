"""Fetch one model of the hub into the folder of models, and record what is there."""

import argparse
from pathlib import Path

from workflow_scripts.downloads.mirrors import add_source_arguments, open_mirror
from workflow_scripts.downloads.model_folders import parse_address
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import write_json


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="model of the hub, as id@revision")
    parser.add_argument("--folder", type=Path, required=True, help="folder of all models")
    pinned = "hash that the one file of weights must have, in the form that the hub has"
    parser.add_argument("--weights-sha256", nargs="*", default=[], help=pinned)
    add_source_arguments(parser, "with models below models/")
    parser.add_argument("--record", required=True, help="JSON file: source, date, hashes, sizes")
    arguments = parser.parse_args(argv)

    model = parse_address(arguments.model)
    if arguments.folder.exists() and not arguments.folder.is_dir():
        raise UserError(f"--folder {arguments.folder}", "is not a folder", "give a folder")
    mirror = open_mirror(arguments.mirror or None)
    from workflow_scripts.downloads.model_fetching import fetch_model

    pinned = arguments.weights_sha256
    file_list = fetch_model(model, arguments.folder, mirror, arguments.offline, pinned=pinned)
    write_json(arguments.record, file_list.as_json())


if __name__ == "__main__":
    run_command(main)
