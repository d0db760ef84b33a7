"""COMETA: terms of Reddit users with SNOMED CT ids.

`{train,dev,test}.csv` are tab-separated in spite of the name, quoting off, with a header.
"""

from pathlib import Path
from typing import ClassVar, Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entity_linking import MentionColumns
from workflow_scripts.delimited import Layout


class Entry(MentionColumns):
    STRINGS: ClassVar = "a term"

    path: Text = Field("cometa/splits/stratified_general", description="Folder of the splits.")
    concept: Literal["general", "specific"] = Field("general", description="Which SNOMED CT id.")

    def query_paths(self, root: Path) -> list[Path]:
        return [root / self.path / f"{self.split}.csv"]

    def layout(self) -> Layout:
        return Layout(("Term", f"{self.concept.capitalize()} SNOMED ID"))
