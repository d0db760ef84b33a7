"""Labelled pairs of sentences (PAWS-X, XNLI, SNLI, MultiNLI, MRPC, ...), in no table of the paper.

Labels are made 0 and 1: XNLI's `entailment` against its two other labels, say.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Self

from pydantic import model_validator

from workflow_scripts.configuration.blocks import Distinct, Field, Text, mistake
from workflow_scripts.datasets.entry import TextEntry, one_file
from workflow_scripts.datasets.items import LabelledPairs
from workflow_scripts.datasets.pair_rows import labelled_pairs, read_pair_rows
from workflow_scripts.datasets.rows import read_aligned_lines
from workflow_scripts.files import read_rows

ITEMS = LabelledPairs
list_files = one_file


class Entry(TextEntry):
    path: Text | list[Text] = Field(
        description="A file of pairs, or three line by line: left strings, right ones, labels."
    )
    columns: Annotated[Distinct[Text], Field(min_length=3, max_length=3)] | None = Field(
        None,
        description="The columns of left string, right string and label in the file's header, or "
        "their keys in JSON. Without: tab-separated in this order, no header.",
    )
    positive: Distinct[str | int] = Field(description="The labels that become 1.")
    negative: Distinct[str | int] = Field(description="Those that become 0; others are an error.")

    @model_validator(mode="after")
    def _pairs_with_labels_of_one_side(self) -> Self:
        if isinstance(self.path, list) and len(self.path) != 3:
            raise mistake("give a file of pairs, or three: left, right, labels")
        if both := {*map(str, self.positive)} & {*map(str, self.negative)}:
            raise mistake(f"`positive` and `negative` both have {min(both)!r}; remove one")
        return self


def _rows(paths: list[Path], columns: list[str] | None) -> Iterator[tuple[int, list[str]]]:
    if len(paths) > 1:
        yield from read_aligned_lines(paths)
    elif columns is not None:
        yield from read_pair_rows(paths[0], columns)
    else:
        yield from read_rows(paths[0], 3, "a row of string<TAB>string<TAB>label")


def read(root: Path, entry: Entry) -> LabelledPairs:
    paths = list_files(root, entry)
    labels = {str(label): 0 for label in entry.negative}
    labels |= {str(label): 1 for label in entry.positive}
    return labelled_pairs(_rows(paths, entry.columns), labels, paths, "a string")
