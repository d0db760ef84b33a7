"""Say which files no program can fetch, where to get them and where to put them."""

from collections.abc import Sequence
from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.downloads.registry import find_data_set, read_registry
from workflow_scripts.path_functions import command


def list_gated(
    *, registry: Path = Path("config/registry.yaml"), root: Path, names: Sequence[str] = ()
) -> None:
    """Say which files no program can fetch, where to get them and where to put them.

    Args:
        registry: registry file
        root: data root
        names: gated entries of the registry
    """
    entries, lines = read_registry(registry), []
    for name in names:
        data_set = find_data_set(entries, name, registry)
        paths = [root / file.path for file in data_set.all_files]
        if missing := [str(path) for path in paths if not path.is_file()]:
            lines.append(f"- {name}: {data_set.obtain}. Missing: {', '.join(missing)}")
    nothing = "Fetched: nothing has to be added by hand."
    header = "Fetched, except for files that have to be added by hand:" if lines else nothing
    print(header, *lines, sep="\n")


main = command(list_gated)

if __name__ == "__main__":
    run_command(main)
