"""The strings of a corpus as an evaluation set, for what is measured on strings without gold.

The paper measures isotropy (Tables 9 and 14) on strings that models are tuned on, not saying which.
"""

from pathlib import Path
from typing import ClassVar

from workflow_scripts.configuration.blocks import Field, Id
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import StringSet
from workflow_scripts.datasets.strings import unique_in_order
from workflow_scripts.files import read_lines


class Entry(TextEntry):
    ITEMS: ClassVar = StringSet

    corpus: Id = Field(description="The id of a corpus of config.")

    def corpora(self) -> list[str]:
        return [self.corpus]

    def list_files(self, root: Path) -> list[Path]:
        return [root / f"{self.corpus}.txt"]

    def read(self, root: Path) -> StringSet:
        """Return the different strings; a repeated one (some corpora hold such) counts once."""
        [path] = self.list_files(root)
        strings = [line for line in read_lines(path) if line.strip()]
        items = StringSet(strings=unique_in_order(strings))
        items.drop("repeated", len(strings) - len(items.strings))
        return items
