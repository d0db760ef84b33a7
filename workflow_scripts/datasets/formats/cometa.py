"""COMETA: terms of Reddit users with SNOMED CT ids.

`{train,dev,test}.csv` are tab-separated in spite of the name, quoting off, with a header.
"""

from pathlib import Path
from typing import Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entity_linking import LinkingEntry, Mention, linking_set
from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.datasets.items import LinkingSet

ITEMS = LinkingSet


class Entry(LinkingEntry):
    path: Text = Field("cometa/splits/stratified_general", description="Folder of the splits.")
    concept: Literal["general", "specific"] = Field("general", description="Which SNOMED CT id.")


def list_files(root: Path, entry: Entry) -> list[Path]:
    return [root / entry.path / f"{entry.split}.csv", *entry.dictionary_paths(root)]


def read(root: Path, entry: Entry) -> LinkingSet:
    column = f"{entry.concept.capitalize()} SNOMED ID"
    path, *_ = list_files(root, entry)
    rows = read_headed_rows(path, ["Term", column])
    mentions = (Mention(path, line, row["Term"], row[column]) for line, row in rows)
    return linking_set(root, entry, mentions, what="a term")
