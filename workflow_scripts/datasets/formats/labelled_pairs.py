"""Labelled pairs of sentences (PAWS-X, XNLI, SNLI, MultiNLI, MRPC, ...), in no table of the
paper.

Labels are made 0 and 1: XNLI's `entailment` against its two other labels, say.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Self

from pydantic import model_validator

from workflow_scripts.configuration.blocks import Distinct, Field, Text, mistake
from workflow_scripts.datasets.labelled_pairs import LabelledColumns
from workflow_scripts.datasets.rows import read_aligned_lines
from workflow_scripts.delimited import Layout, Row


class Entry(LabelledColumns):
    path: Text | list[Text] = Field(
        description="A file of pairs, or three parallel files: left strings, right strings, labels."
    )
    columns: Annotated[Distinct[Text], Field(min_length=3, max_length=3)] | None = Field(
        None,
        description=(
            "The columns of left string, right string and label in the file's header, or their "
            "keys in JSON. Without it: tab-separated in this order, no header."
        ),
    )
    positive: Distinct[str | int] = Field(description="The labels that become 1.")
    negative: Distinct[str | int] = Field(
        description="The labels that become 0; any other label is an error."
    )

    @model_validator(mode="after")
    def _pairs_with_labels_of_one_side(self) -> Self:
        if isinstance(self.path, list) and len(self.path) != 3:
            raise mistake("give a file of pairs, or three: left, right, labels")
        if both := {*map(str, self.positive)} & {*map(str, self.negative)}:
            raise mistake(f"`positive` and `negative` both have {min(both)!r}; remove one")
        return self

    def layout(self) -> Layout:
        if self.columns is not None:
            return Layout(self.columns, delimiter=None)
        return Layout((1, 2, 3), "a row of string<TAB>string<TAB>label")

    def labels(self) -> dict[str, int]:
        both = enumerate((self.negative, self.positive))
        return {str(label): number for number, labels in both for label in labels}

    def rows(self, paths: list[Path]) -> Iterator[Row]:
        return read_aligned_lines(paths) if len(paths) > 1 else super().rows(paths)
