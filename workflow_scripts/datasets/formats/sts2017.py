"""SemEval-2017 task 1: 250 pairs a track, within and across languages (paper Table 4: es, ar).

`STS2017.eval.v1.1/STS.input.<track>.txt` holds sentence<TAB>sentence, and line by line with it
`STS2017.gs/STS.gs.<track>.txt` a score from 0 to 5.
"""

from pathlib import Path
from typing import ClassVar, Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.scored_pairs import read_with_gold_file, scored_pairs
from workflow_scripts.files import read_lines

# The input of this track continues after the pairs that were scored: 500 lines, 250 scores.
_LONGER_INPUT = "track6.tr-en"


class Entry(TextEntry):
    ITEMS: ClassVar = SimilaritySet

    path: Text = Field("sts2017", description="Folder of the two folders of the release.")
    track: Literal[
        "track1.ar-ar",
        "track2.ar-en",
        "track3.es-es",
        "track4a.es-en",
        "track4b.es-en",
        "track5.en-en",
        "track6.tr-en",
    ] = Field(description="Which track.")

    def list_files(self, root: Path) -> list[Path]:
        return [
            root / self.path / "STS2017.eval.v1.1" / f"STS.input.{self.track}.txt",
            root / self.path / "STS2017.gs" / f"STS.gs.{self.track}.txt",
        ]

    def read(self, root: Path) -> SimilaritySet:
        path, gold_path = self.list_files(root)
        surplus = self.track == _LONGER_INPUT
        pairs = scored_pairs(read_with_gold_file(path, gold_path, self.track, surplus), 0.0, 5.0)
        pairs.drop("no_gold_score", len(read_lines(path)) - len(pairs.gold))
        return pairs
