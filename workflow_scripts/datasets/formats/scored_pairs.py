"""Your own scored pairs: a file with two strings and a number per row."""

import math
from typing import Annotated, ClassVar

from workflow_scripts.configuration.blocks import Distinct, Field, Text
from workflow_scripts.datasets.scored_pairs import ScoredColumns
from workflow_scripts.delimited import Layout


class Entry(ScoredColumns):
    STRINGS: ClassVar = "a string"

    path: Text = Field(description="A file of pairs: tab-separated, or with quotes if it is .csv.")
    columns: Annotated[Distinct[Text], Field(min_length=3, max_length=3)] | None = Field(
        None,
        description=(
            "The columns of left string, right string and score in the file's header. Without "
            "it: tab-separated in this order, no header."
        ),
    )
    lowest: float | None = Field(None, description="A score below it is an error.")
    highest: float | None = Field(None, description="A score above it is an error.")

    def scale(self) -> tuple[float, float]:
        lowest = -math.inf if self.lowest is None else self.lowest
        return lowest, math.inf if self.highest is None else self.highest

    def layout(self) -> Layout:
        if self.columns is not None:
            return Layout(self.columns, delimiter=None)
        return Layout((1, 2, 3), "a row of string<TAB>string<TAB>score")
