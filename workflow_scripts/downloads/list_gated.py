"""Say which files no program can fetch, where to get them and where to put them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.downloads.registry import DataSet, find_data_set, read_registry
from workflow_scripts.path_functions import command


def missing_files(data_sets: Iterable[DataSet], root: Path) -> list[str]:
    """Return a line for each data set that lacks files below the root: how to get them."""
    lines = []
    for data_set in data_sets:
        paths = [root / file.path for file in data_set.all_files]
        if missing := [str(path) for path in paths if not path.is_file()]:
            lines.append(f"- {data_set.name}: {data_set.obtain}. Missing: {', '.join(missing)}")
    return lines


def list_gated(
    *, registry: Path = Path("config/registry.yaml"), root: Path, names: Sequence[str] = ()
) -> None:
    """Say which files no program can fetch, where to get them and where to put them.

    Args:
        registry: registry file
        root: data root
        names: gated entries of the registry
    """
    entries = read_registry(registry)
    lines = missing_files([find_data_set(entries, name, registry) for name in names], root)
    nothing = "Fetched: nothing has to be added by hand."
    header = "Fetched, except for files that have to be added by hand:" if lines else nothing
    print(header, *lines, sep="\n")


main = command(list_gated)

if __name__ == "__main__":
    run_command(main)
