"""Data sets of catalogues, chosen by id or pattern: configs with a section `datasets`."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from workflow_scripts.configuration.former_suites import refuse_suites
from workflow_scripts.configuration.layers import CONFIG
from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.datasets.entry import DatasetEntry, raw_files
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.errors import ConfigError, UserError, nearest_name

CATALOGUES = (CONFIG / "datasets.yaml", CONFIG / "datasets-multilingual.yaml")


def choose_datasets(files: Sequence[Path], patterns: Sequence[str]) -> dict[str, DatasetEntry]:
    """Return {data set: entry} of catalogues by ids or patterns, in the order of these.

    Raises `UserError` for one that fits no data set, and for a data set that two files describe
    differently.
    """
    # {data set: [(file, block)]}
    known: dict[str, list[tuple[str, Any]]] = {}
    for path in files:
        for name, block in _read_blocks(path).items():
            known.setdefault(name, []).append((str(path), block))
    chosen: dict[str, DatasetEntry] = {}
    for pattern in patterns:
        names = [name for name in known if fnmatchcase(name, pattern)]
        if not names:
            problem = f"no such data set in {', '.join(path.name for path in files)}"
            raise UserError(f"--datasets {pattern}", problem, nearest_name(pattern, known))
        for name in names:
            entries = [read_entry(name, block, source) for source, block in known[name]]
            if any(entry != entries[0] for entry in entries):
                both = " and ".join(file for file, _ in known[name])
                problem, remedy = (
                    f"{both} define it differently",
                    "give one of them with --catalogues",
                )
                raise UserError(f"--datasets {name}", problem, remedy)
            chosen[name] = entries[0]
    return chosen


def _read_blocks(path: Path) -> dict[str, Any]:
    content, file = read_mapping(path), str(path)
    refuse_suites(content, lambda _: file)
    blocks = content.get("datasets", {})
    if not isinstance(blocks, dict):
        raise ConfigError(file, "datasets", "is not a mapping of names to blocks", "fix it")
    return blocks


def drop_missing(
    root: Path, entries: dict[str, DatasetEntry], strict: bool
) -> tuple[dict[str, DatasetEntry], dict[str, str]]:
    """Return the entries whose files are in the root, and the first missing file of the others."""
    if not root.is_dir():
        raise UserError(
            f"--data-root {root}", "no such folder", "give a folder laid out as a data root"
        )
    missing: dict[str, str] = {}
    for name, entry in entries.items():
        for path in raw_files(root, entry):
            if not path.is_file():
                missing.setdefault(name, str(path))
    if missing and (strict or len(missing) == len(entries)):
        name, first_missing = next(iter(missing.items()))
        obtain = entries[name].obtain or "put the file there or give another --data-root"
        raise UserError(first_missing, f"no such file, needed by data set {name}", obtain)
    return {name: entry for name, entry in entries.items() if name not in missing}, missing
