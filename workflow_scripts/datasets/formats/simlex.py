"""SimLex-999: English word pairs with a similarity from 0 to 10."""

from typing import ClassVar

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.scored_pairs import ScoredColumns
from workflow_scripts.delimited import Layout


class Entry(ScoredColumns):
    LAYOUT: ClassVar = Layout(("word1", "word2", "SimLex999", "POS"))
    SCALE: ClassVar = (0.0, 10.0)
    STRINGS: ClassVar = "a word"

    path: Text = Field("simlex-999/SimLex-999.txt", description="The file.")
