"""A block of `corpora` in config: what all kinds have, and the files that a corpus is made from.

A kind is the class `Options` (a `CorpusBlock`) of a module of corpora/kinds: the keys of its
blocks, the files that they name, and the strings that these hold.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from workflow_scripts.configuration.blocks import Block, Id, Papers, Text, Whitespace, WholeNumber
from workflow_scripts.errors import UserError

# how many strings a corpus has, or all that its source has
Size = WholeNumber | Literal["all"]


class CorpusBlock(Block):
    # what its strings are, as the table of running times calls them; each kind says so
    holds: ClassVar[str]
    # whether the strings are drawn at random, else the first ones are taken
    random: ClassVar[bool] = False
    # what making one takes, as often as it is tried
    mem_mb: ClassVar[int] = 1500
    minutes: ClassVar[int] = 10
    # the keys that name its files
    file_keys: ClassVar[tuple[str, ...]] = ("path",)
    if TYPE_CHECKING:
        # of kinds that read one file
        path: str | None

    kind: Id = Field(description="Module of corpora/kinds that makes it, such as `names`.")
    paper: Papers = Field(
        [], description="Papers that tuned on exactly these strings, apart from what is `assumed`."
    )
    assumed: Text | None = Field(
        None,
        description=(
            "What is unknown about the paper's strings: cells tuned on these are compared, with "
            "a note."
        ),
    )
    deduplicate: bool = Field(
        True,
        description=(
            "Whether to drop repeated strings, which are false negatives of each other in a "
            "batch. The paper drops them; the authors' released corpora contain some."
        ),
    )
    whitespace: Whitespace = Field(
        "kept",
        description="`kept`: strings as the files have them, as the authors read them; "
        "`collapsed`: none at the ends, single spaces within. Blank strings go in either case.",
    )

    def list_files(self, root: Path) -> list[Path]:
        """Return the files below the data root; of a corpus made of others, below their folder."""
        return [] if self.path is None else [root / self.path]

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> Iterable[str]:
        """Return the strings of these files; `dropped` counts by reason what is left out."""
        raise NotImplementedError

    def documents(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[list[str]] | None:
        """Return the documents of running text, which are drawn already; None without any."""
        return None

    def corpora(self) -> list[str]:
        """Return the ids of the corpora that it is made of."""
        return []

    def repeats(self) -> bool:
        """Return whether strings are repeated on purpose."""
        return False

    def absent(self) -> str | None:
        """Return why the config has no such corpus, if it has none."""
        return None

    def obtain(self) -> str:
        """Return where its file is available, if it may not be passed on."""
        return ""

    def packages(self) -> list[str]:
        """Return the packages whose version the strings depend on."""
        return []


class SampledBlock(CorpusBlock):
    random = True

    size: Size = Field(
        description=(
            "How many strings; `all` takes all of them, as does a larger number, with a warning."
        )
    )


def raw_files(root: str | Path, options: CorpusBlock) -> list[Path]:
    """Return the files below the data root that a corpus is made from."""
    return [] if options.corpora() else options.list_files(Path(root))


def missing_file_error(corpus: str, options: CorpusBlock, path: Path) -> UserError:
    keys = " or ".join(f"`corpora.{corpus}.{key}`" for key in options.file_keys)
    remedy = f"{options.obtain()}put the file there or change {keys}"
    return UserError(path, f"no such file, needed by corpus `{corpus}`", remedy)
