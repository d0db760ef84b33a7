"""STS Benchmark: `sts-{train,dev,test}.csv`, which are tab-separated in spite of the name.

No header, quoting off, seven to nine columns: genre, source file, year, number, score, sentence
1, sentence 2, and sometimes two columns of origin.
"""

from pathlib import Path
from typing import ClassVar

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.scored_pairs import STS_BENCHMARK, ScoredColumns


class Entry(ScoredColumns):
    LAYOUT: ClassVar = STS_BENCHMARK

    path: Text = Field("sts-benchmark", description="Folder of the three files.")

    def list_files(self, root: Path) -> list[Path]:
        return [root / self.path / f"sts-{self.split}.csv"]
