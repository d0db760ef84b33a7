"""Fetch one data set or corpus of the registry below the data root, and record its files."""

from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.downloads.mirrors import SourceOptions, open_mirror
from workflow_scripts.downloads.registry import find_data_set, read_registry
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_json
from workflow_scripts.path_functions import command

SAMPLE_DATA = Path(__file__).resolve().parents[2] / "resources" / "sample_data"


def check_root(root: Path) -> None:
    """Raise `UserError` for a data root that no real file may be fetched into."""
    if root.exists() and not root.is_dir():
        raise UserError(f"--root {root}", "is not a folder", "give a folder")
    if root.resolve() == SAMPLE_DATA:
        raise UserError(
            f"--root {root}",
            "is the bundled data set, which must not be mixed with real files",
            "give a folder of your own (config: data.root)",
        )


def fetch_dataset(
    *,
    name: str,
    registry: Path = Path("config/registry.yaml"),
    root: Path,
    source: SourceOptions,
    record: Path,
) -> None:
    """Fetch one data set or corpus of the registry below the data root, and record its files.

    Args:
        name: entry of the registry
        registry: registry file
        root: data root to fetch into
        record: JSON file: URLs, hashes, sizes, dates
    """
    data_set = find_data_set(read_registry(registry), name, registry)
    check_root(root)
    from workflow_scripts.downloads.fetching import fetch

    files = fetch(data_set, root, open_mirror(source.mirror or None), source.offline)
    licence = {"licence": data_set.licence, "citation": data_set.citation}
    write_json(record, {"name": data_set.name, **licence, "files": files})


main = command(fetch_dataset)

if __name__ == "__main__":
    run_command(main)
