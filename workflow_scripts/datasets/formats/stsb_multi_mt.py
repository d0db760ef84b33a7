"""The STS Benchmark machine-translated into other languages (stsb-multi-mt, by DeepL).

`stsb-<language>-<split>.csv` is comma-separated with quotes: sentence, sentence, score; no
header.
"""

from pathlib import Path
from typing import ClassVar

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.scored_pairs import ScoredColumns
from workflow_scripts.delimited import Layout


class Entry(ScoredColumns):
    LAYOUT: ClassVar = Layout(
        (1, 2, 3), "a row of sentence,sentence,score (3 fields)", exact=True, delimiter=","
    )

    path: Text = Field("stsb-multi-mt", description="Folder of the files.")

    def list_files(self, root: Path) -> list[Path]:
        return [root / self.path / f"stsb-{self.language}-{self.split}.csv"]

    def subset(self, path: Path) -> str:
        return self.language
