"""NCBI disease as Chen et al. (2021) prepared it: a mention a row, digits and case dealt with.

A row is document, mention, concept ids, and the mention as prepared: abbreviations written out,
punctuation removed. Their dictionary (`entity_kb.txt`, form `id-tab-name`) is prepared alike.
"""

from pathlib import Path
from typing import Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.dictionaries import DictionaryFormat
from workflow_scripts.datasets.entity_linking import LinkingEntry, Mention, linking_set
from workflow_scripts.datasets.items import LinkingSet
from workflow_scripts.files import read_rows

ITEMS = LinkingSet


class Entry(LinkingEntry):
    path: Text = Field(description="The file.")
    mention: Literal["prepared", "written"] = Field("prepared", description="In which form.")
    dictionary_format: DictionaryFormat = Field("id-tab-name", description="Of the dictionary.")


def list_files(root: Path, entry: Entry) -> list[Path]:
    return [root / entry.path, *entry.dictionary_paths(root)]


def read(root: Path, entry: Entry) -> LinkingSet:
    column = {"written": 1, "prepared": 3}[entry.mention]
    path = root / entry.path
    rows = read_rows(path, 4, "a row of document<TAB>mention<TAB>ids<TAB>mention")
    mentions = (Mention(path, line, fields[column], fields[2]) for line, fields in rows)
    return linking_set(root, entry, mentions)
