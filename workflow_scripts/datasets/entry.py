"""A block of `datasets` in config: what all formats have, and the files that a set is read from.

A format is a class of entries (`DatasetEntry`): the keys of its blocks, which files they name and
how these are read. It is the class `Entry` of a module of datasets/formats or, where it is a choice
of columns, a class of datasets/formats/columns.py.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from workflow_scripts import plugins
from workflow_scripts.configuration.blocks import Block, Id, Text, Whitespace
from workflow_scripts.datasets.items import Items

# the module of the formats that are a choice of columns
COLUMNS = "columns"


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

    task: Id = Field(description="What the set is scored by, such as `similarity`.")
    format: Id = Field(description="Which reader of datasets/formats, such as `sts-benchmark`.")
    split: Text = Field("test", description="Which split is read, `all` of a set without splits.")
    suite: Id | None = Field(
        None,
        description="Which data sets an encoder embeds together with it, in one job: those of the "
        "same suite. Without it the task, relatedness with classification.",
    )
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

    def list_files(self, root: Path) -> list[Path]:
        """Return the files below the data root (or the folder of corpora) that the set reads."""
        return paths_of(root, self.path)

    def read(self, root: Path) -> Items:
        """Return the items of these files; `UserError`, with file and line, for bad ones."""
        raise NotImplementedError


class TextEntry(DatasetEntry):
    language: Text = Field(description="Of the strings, such as `en`, or `en-fr` across two.")


def entry_type(form: str) -> type[DatasetEntry]:
    """Return the class of a format that is in the register."""
    own = getattr(plugins.load("datasets.formats", COLUMNS), class_of(form), None)
    if isinstance(own, type) and issubclass(own, DatasetEntry):
        return own
    return plugins.load("datasets.formats", form).Entry


def class_of(form: str) -> str:
    """Return the name of a format's class in columns.py: `sts-benchmark` is `StsBenchmark`."""
    return form.title().replace("-", "")


def raw_files(root: str | Path, entry: DatasetEntry) -> list[Path]:
    """Return the files below the data root that a set reads; of a missing folder the folder."""
    files = [] if entry.corpora() else entry.list_files(Path(root))
    return list(dict.fromkeys(files))


def paths_of(root: Path, given: str | list[str] | dict[Any, str]) -> list[Path]:
    """Return the path of a key that is one, a list of them, or has a name for each."""
    paths = [given] if isinstance(given, str) else given
    return [root / path for path in (paths.values() if isinstance(paths, dict) else paths)]
