"""A block of `datasets` in config: what all formats have, and the files that a set is read from.

A format is the class `Entry` (a `DatasetEntry`) of a module of datasets/formats: the keys of its
blocks, which files they name and how these are read. Where that is a choice of columns, its base is
`ScoredColumns`, `LabelledColumns` or `MentionColumns`.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from workflow_scripts.configuration.blocks import Block, Id, Text, Whitespace
from workflow_scripts.datasets.items import Items


class DatasetEntry(Block):
    # the class of items that it is read as
    ITEMS: ClassVar[type[Items]]
    if TYPE_CHECKING:
        # of some formats: the file or files; of a lexicon its two languages; of others the one
        path: Any
        source: str
        target: str

        @property
        def language(self) -> str: ...

    task: Id = Field(description="How the set is scored, such as `similarity`.")
    format: Id = Field(description="Reader of datasets/formats, such as `sts-benchmark`.")
    split: Text = Field("test", description="Split to read; `all` for a set without splits.")
    suite: Id | None = Field(
        None,
        description=(
            "Data sets of one suite are embedded together, in one job. Default: the task; "
            "relatedness goes with classification."
        ),
    )
    absent: Text | None = Field(
        None, description="Why the config lacks the set: its cells show a dash and this reason."
    )
    obtain: Text | None = Field(
        None, description="For a set that may not be redistributed: how to get it."
    )
    whitespace: Whitespace = Field(
        "kept",
        description="`kept`: strings as the files have them; `collapsed`: none at the ends, single "
        "spaces within, as always where strings are matched (linking, lexicons).",
    )
    unlike_paper: Text | None = Field(
        None, description="How the set differs from the paper's; its cells are then not compared."
    )
    assumed: Text | None = Field(
        None,
        description="What is unknown about the paper's set: its cells are compared, with a note.",
    )

    def corpora(self) -> list[str]:
        """Return the ids of the corpora that the set is read from."""
        return []

    def list_files(self, root: Path) -> list[Path]:
        """Return the files below the data root (or the folder of corpora) that the set reads."""
        return paths_of(root, self.path)

    def read(self, root: Path) -> Items:
        """Return the items of these files; `UserError`, with file and line, for bad ones."""
        raise NotImplementedError


class TextEntry(DatasetEntry):
    language: Text = Field(description="Language of the strings, such as `en`, or `en-fr` for two.")


def raw_files(root: str | Path, entry: DatasetEntry) -> list[Path]:
    """Return the files below the data root that a set reads; of a missing folder the folder."""
    files = [] if entry.corpora() else entry.list_files(Path(root))
    return list(dict.fromkeys(files))


def paths_of(root: Path, given: str | list[str] | dict[Any, str]) -> list[Path]:
    """Return the path of a key that is one, a list of them, or has a name for each."""
    paths = [given] if isinstance(given, str) else given
    return [root / path for path in (paths.values() if isinstance(paths, dict) else paths)]
