"""Scored pairs of one's own: a file of two strings and a number, however people scored them."""

import math
from pathlib import Path
from typing import Annotated

from workflow_scripts.configuration.blocks import Distinct, Field, Text
from workflow_scripts.datasets.entry import TextEntry, one_file
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.pair_rows import read_pair_rows
from workflow_scripts.datasets.scored_pairs import ScoredRow, scored_pairs
from workflow_scripts.files import read_rows

ITEMS = SimilaritySet
list_files = one_file


class Entry(TextEntry):
    path: Text = Field(description="A file of pairs: tab-separated, or with quotes if it is .csv.")
    columns: Annotated[Distinct[Text], Field(min_length=3, max_length=3)] | None = Field(
        None,
        description="The columns of left string, right string and score in the file's header. "
        "Without: tab-separated in this order, no header.",
    )
    lowest: float | None = Field(None, description="A score below it is an error.")
    highest: float | None = Field(None, description="A score above it is an error.")


def read(root: Path, entry: Entry) -> SimilaritySet:
    [path] = list_files(root, entry)
    if entry.columns is not None:
        found = read_pair_rows(path, entry.columns)
    else:
        found = read_rows(path, 3, "a row of string<TAB>string<TAB>score")
    subset = path.name.partition(".")[0]
    rows = (ScoredRow(line, path, *fields[:3], subset) for line, fields in found)
    lowest = -math.inf if entry.lowest is None else entry.lowest
    highest = math.inf if entry.highest is None else entry.highest
    return scored_pairs(rows, lowest, highest, "a string")
