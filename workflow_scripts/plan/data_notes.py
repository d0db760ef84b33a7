"""What tables say about their data: its label, and which files had no known hash."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from workflow_scripts.downloads.fetch_dataset import SAMPLE_DATA
from workflow_scripts.downloads.registry import sets_with
from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.encoders import Encoder
from workflow_scripts.plan.raw_data import registry
from workflow_scripts.plan.requirements import Requirements


def data_label(cells: Cells) -> str:
    """Return what tables call the data."""
    return cells.typed.config.data.label or cells.availability.root.name


def data_note(cells: Cells, encoders: Iterable[Encoder], datasets: Iterable[str]) -> str:
    """Return the note on the raw files of data sets, and of what encoders were made from.

    The registry has hashes of some of them: with `data.fetch` these were checked when they were
    fetched. Models are not among them: the hub has a hash of each file.
    """
    root = cells.availability.root
    if cells.typed.config.data.fetch:
        files = Requirements(cells, encoders, datasets).files()
        # the registry names files by their paths in the root
        paths = [file.relative_to(root) if file.is_relative_to(root) else file for file in files]
        names = sorted({name for path in paths for name in _entries_without_hash(str(path))})
        unverified = f"not checked against a known hash: {', '.join(names)}" if names else ""
    else:
        ships = root.resolve() == SAMPLE_DATA
        unverified = "" if ships else "not checked against known hashes (data.fetch is false)"
    label = data_label(cells)
    return f"{label.rstrip('.')}; {unverified}" if unverified else label


@cache
def _entries_without_hash(path: str) -> list[str]:
    """Return the entries of the registry that hold a file without a hash.

    A file without an entry goes by its name.
    """
    if not sets_with(registry(), [path]):
        return [Path(path).name]
    return sets_with(registry(), [path], without_hash=True)
