"""SimLex-999: English word pairs with a similarity from 0 to 10."""

from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry, one_file
from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.scored_pairs import ScoredRow, scored_pairs

ITEMS = SimilaritySet
list_files = one_file


class Entry(TextEntry):
    path: Text = Field("simlex-999/SimLex-999.txt", description="The file.")


def read(root: Path, entry: Entry) -> SimilaritySet:
    path = root / entry.path
    columns = ["word1", "word2", "SimLex999", "POS"]
    rows = (
        ScoredRow(line, path, *(row[column] for column in columns))
        for line, row in read_headed_rows(path, columns)
    )
    return scored_pairs(rows, 0.0, 10.0, "a word")
