"""A block of `datasets` in config: what all formats have, and the files that a set is read from.

A format is a module of datasets/formats: its class `Entry` (a `DatasetEntry`), `ITEMS` (the class
of items that it yields), `list_files(root, entry)` and `read(root, entry)`; the root is the folder
of corpora for an entry made of them. All raise `UserError`, with file and line, for bad files.
"""

from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import Field

from workflow_scripts import plugins
from workflow_scripts.configuration.blocks import Block, Id, Text, Whitespace


class DatasetEntry(Block):
    task: Id = Field(description="What the set is scored by, such as `similarity`.")
    format: Id = Field(description="Which reader of datasets/formats, such as `sts-benchmark`.")
    split: Text = Field("test", description="Which split is read, `all` of a set without splits.")
    absent: Text | None = Field(
        None, description="Why the config has no such set: its cells show a dash and this."
    )
    obtain: Text | None = Field(None, description="Of a set that is not passed on: how to get it.")
    whitespace: Whitespace = Field(
        "kept",
        description="`kept`: strings as the files have them; `collapsed`: none at the ends, single "
        "spaces within, as always where strings are matched (linking, lexicons).",
    )
    unlike_paper: Text | None = Field(
        None, description="How the set differs from the paper's: its cells are not compared."
    )
    assumed: Text | None = Field(
        None,
        description="What of the paper's set is not known: its cells are compared, and say so.",
    )

    def corpora(self) -> list[str]:
        """Return the ids of the corpora that the set is read from."""
        return []


class TextEntry(DatasetEntry):
    language: Text = Field(description="Of the strings, such as `en`, or `en-fr` across two.")


def format_of(entry: DatasetEntry) -> ModuleType:
    """Return the module of an entry's format."""
    return plugins.load("datasets.formats", entry.format)


def raw_files(root: str | Path, entry: DatasetEntry) -> list[Path]:
    """Return the files below the data root that a set reads; of a missing folder the folder."""
    files = [] if entry.corpora() else format_of(entry).list_files(Path(root), entry)
    return list(dict.fromkeys(files))


def paths_of(root: Path, given: str | list[str] | dict[Any, str]) -> list[Path]:
    """Return the path of a key that is one, a list of them, or has a name for each."""
    paths = [given] if isinstance(given, str) else given
    return [root / path for path in (paths.values() if isinstance(paths, dict) else paths)]


def one_file(root: Path, entry: Any) -> list[Path]:
    """The `list_files` of formats whose key `path` is the file, or says the files."""
    return paths_of(root, entry.path)
