"""Fetch one model of the hub into the folder of models, and record its files."""

from collections.abc import Sequence
from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.downloads.mirrors import SourceOptions, open_mirror
from workflow_scripts.downloads.model_folders import parse_address
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_json
from workflow_scripts.path_functions import command


def fetch_model(
    *,
    model: str,
    folder: Path,
    weights_sha256: Sequence[str] = (),
    source: SourceOptions,
    record: Path,
) -> None:
    """Fetch one model of the hub into the folder of models, and record its files.

    Args:
        model: model of the hub, as id@revision
        folder: folder of all models
        weights_sha256: hash that the one file of weights must have, in the form that the hub has
        record: JSON file: source, date, hashes, sizes
    """
    hub_model = parse_address(model)
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--folder {folder}", "is not a folder", "give a folder")
    mirror = open_mirror(source.mirror or None)
    from workflow_scripts.downloads import model_fetching

    files = model_fetching.fetch_model(
        hub_model, folder, mirror, source.offline, pinned=weights_sha256
    )
    write_json(record, files.as_json())


main = command(fetch_model)

if __name__ == "__main__":
    run_command(main)
