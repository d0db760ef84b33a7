"""One file, or files line by line, of labelled texts: how a config names them, and their rows."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from workflow_scripts.configuration.blocks import Block, Field, Text, WholeNumber, mistake
from workflow_scripts.datasets.entry import paths_of
from workflow_scripts.datasets.labels import Labels
from workflow_scripts.datasets.review_items import read_review_items
from workflow_scripts.datasets.rows import read_aligned_lines, read_groups, require_strings
from workflow_scripts.delimited import (
    Layout,
    malformed,
    read_rows,
    refuse_header,
    select,
)
from workflow_scripts.errors import UserError
from workflow_scripts.files import parse_number, read_lines

# what SentEval makes of a blank line, which CR and MPQA have some of
_BLANK = "."
PARTS = ("all", "train", "development", "test")
Row = tuple[list[str], str]
_REVIEWS = ".review"
_BY_NUMBER = "a row of tab-separated columns"
_NOT_HEADER = ("a text", "name the columns")
# of the division of a set
_SEED = 0


class Part(Block):
    path: Text | list[Text] | dict[str | int, Text] = Field(
        description=(
            "A file that includes the labels, {label: file}, or parallel files, the last with "
            "the labels."
        )
    )
    columns: Annotated[list[Text] | list[WholeNumber], Field(min_length=2)] | None = Field(
        None,
        description="Columns of the texts and, last, of the label: their names in the file's "
        "header, keys of JSON or elements of a `.review` file; without a header their numbers, "
        "from 1.",
    )
    where: dict[str | int, str | int] | None = Field(
        None, description="Rows to read, by the value of a column (`{split: dev}`)."
    )
    hypotheses: WholeNumber | None = Field(
        None,
        description=(
            "For two files: the first has a premise and then this many hypotheses, as in 15-way "
            "XNLI, the second a label per hypothesis."
        ),
    )
    label: Literal["first", "last"] = Field(
        "first",
        description=(
            "For a file without header: whether the label is before the first space or after the "
            "last tab."
        ),
    )
    label_end: Text | None = Field(
        None, description="Cut labels before this character, as TREC's `NUM:dist` before `:`."
    )
    positive_above: float | None = Field(
        None,
        description=(
            "Labels are numbers, such as stars: above this value they become `positive`, else "
            "`negative`."
        ),
    )
    encoding: Literal["utf-8", "iso-8859-1"] = Field(
        "utf-8", description="TREC's training file is not UTF-8."
    )

    @model_validator(mode="after")
    def _keys_that_go_together(self) -> Self:
        of_one = isinstance(self.path, str)
        if self.hypotheses is not None and (of_one or len(self.path) != 2):
            raise mistake("`hypotheses` needs a `path` of two files: [sentences, labels]")
        if self.where is not None:
            by_number = [str(name).isdecimal() and name != "0" for name in self.where]
            if self.columns is None or (isinstance(self.columns[0], int) and not all(by_number)):
                raise mistake("`where` needs `columns`; give both by name or both by number")
        if self.columns is not None and not of_one:
            raise mistake("`columns` needs a single file in `path`")
        for values in (self.columns or [], self.path if isinstance(self.path, list) else []):
            if len(values) > 3 or len(set(values)) < len(values):
                raise mistake(f"name one or two texts and a label, each once, not {values}")
        return self

    def files(self, root: Path) -> list[Path]:
        return paths_of(root, self.path)

    def rows(self, root: Path, labels: Labels) -> Iterator[Row]:
        """Yield the texts and the label of each row; `UserError`, with file and line, if bad.

        A blank text is as the file has it: see `without_blanks`.
        """
        for path, line, texts, label in self._raw_rows(self.files(root)):
            if self.label_end is not None:
                label = label.partition(self.label_end)[0]
            if self.positive_above is not None:
                if (number := parse_number(label)) is None:
                    problem = f"expected a number as label, found {label!r}"
                    raise malformed(path, line, problem)
                label = "positive" if number > self.positive_above else "negative"
            yield texts, labels.read(label, path, line)

    def _raw_rows(self, paths: list[Path]) -> Iterator[tuple[Path, int, list[str], str]]:
        if isinstance(self.path, dict):
            for label, path in zip(self.path, paths, strict=True):
                for line, text in enumerate(read_lines(path, self.encoding), start=1):
                    yield path, line, [text], str(label)
        elif isinstance(self.path, list) or self.columns is not None:
            for line, (*texts, label) in self._columns(paths):
                # a review may be a rating alone
                needed = [label] if _has_reviews(paths[0]) else [*texts, label]
                require_strings(needed, "a text or label", paths[0], line)
                yield paths[-1], line, texts, label
        else:
            for line, text in enumerate(read_lines(paths[0], self.encoding), start=1):
                if self.label == "first":
                    label, _, sentence = text.partition(" ")
                else:
                    sentence, _, label = text.rpartition("\t")
                if not (label.strip() and sentence.strip()):
                    order = {"first": "label sentence", "last": "sentence<TAB>label"}[self.label]
                    raise malformed(paths[0], line, f"expected {order}, found {text[:60]!r}")
                if line == 1:
                    refuse_header([sentence, label], "a text", paths[0], line)
                yield paths[0], line, [sentence], label

    def _columns(self, paths: list[Path]) -> Iterator[tuple[int, list[str]]]:
        """Yield (line, texts and label) of the rows that `where` lets through."""
        if self.hypotheses is not None:
            return read_groups(paths[0], paths[1], self.hypotheses)
        if isinstance(self.path, list):
            return read_aligned_lines(paths)
        columns = self.columns or []
        by_number = isinstance(columns[0], int)
        kind: Any = int if by_number else str
        where = {kind(name): str(value) for name, value in (self.where or {}).items()}
        if _has_reviews(paths[0]) and not by_number:
            return select(read_review_items(paths[0], [*columns, *where]), where)
        layout = Layout(columns, delimiter=None, where=where)
        if by_number:
            layout = Layout(columns, _BY_NUMBER, where=where, not_header=_NOT_HEADER)
        return read_rows(paths[0], layout)


def _has_reviews(path: Path) -> bool:
    return path.name.removesuffix(".gz").endswith(_REVIEWS)


def without_blanks(texts: list[str]) -> list[str]:
    """Return the texts with a full stop instead of a blank one, as SentEval's encoders see it."""
    return [text if text.strip() else _BLANK for text in texts]


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, dict | Part) else value


# one, or a list of them that are put together
Parts = Annotated[list[Part], Field(min_length=1), BeforeValidator(_listed)]
Shares = dict[Literal["train", "development", "test"], WholeNumber]


def read_parts(
    root: Path, parts: list[Part], name: str, shares: Shares | None, labels: Labels
) -> list[Row]:
    """Return the rows of files put together, of `shares` those whose turn is `name`'s.

    What has the same first text has one turn; turns are drawn with a fixed seed, since files may
    have their classes in turn too. `labels` are those of the whole set, read so far. Raises
    `UserError` for bad files and where no row is left.
    """
    rows = [row for part in parts for row in part.rows(root, labels)]
    if rows and shares:
        share_of: dict[str, int] = {part: share for part, share in shares.items()}
        turns = [part for part in PARTS for _ in range(share_of.get(part, 0))]
        firsts = [without_blanks(texts)[0] for texts, _ in rows]
        groups = list(dict.fromkeys(firsts))
        drawn = random.Random(_SEED).sample(range(len(groups)), len(groups))
        owners = {text: turns[turn % len(turns)] for text, turn in zip(groups, drawn, strict=True)}
        rows = [row for row, first in zip(rows, firsts, strict=True) if owners[first] == name]
    if not rows:
        files = ", ".join(str(path) for part in parts for path in part.files(root))
        raise UserError(files, f"no text for part `{name}`", "check the files and their entry")
    return rows
