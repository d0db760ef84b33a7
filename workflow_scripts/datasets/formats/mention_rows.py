"""NCBI disease as Chen et al. (2021) prepared it: a mention a row, digits and case dealt with.

A row is document, mention, concept ids, and the mention as prepared: abbreviations written out,
punctuation removed. Their dictionary (`entity_kb.txt`, form `id-tab-name`) is prepared alike.
"""

from typing import Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.dictionaries import DictionaryFormat
from workflow_scripts.datasets.entity_linking import MentionColumns
from workflow_scripts.delimited import Layout


class Entry(MentionColumns):
    path: Text = Field(description="The file.")
    mention: Literal["prepared", "written"] = Field("prepared", description="In which form.")
    dictionary_format: DictionaryFormat = Field("id-tab-name", description="Of the dictionary.")

    def layout(self) -> Layout:
        column = {"written": 2, "prepared": 4}[self.mention]
        return Layout((column, 3), "a row of document<TAB>mention<TAB>ids<TAB>mention", width=4)
