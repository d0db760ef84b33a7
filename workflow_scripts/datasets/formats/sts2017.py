"""SemEval-2017 task 1: 250 pairs a track, within and across languages (paper Table 4: es, ar).

`STS2017.eval.v1.1/STS.input.<track>.txt` holds sentence<TAB>sentence, and line by line with it
`STS2017.gs/STS.gs.<track>.txt` a score from 0 to 5.
"""

from pathlib import Path
from typing import Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.scored_pairs import read_with_gold_file, scored_pairs
from workflow_scripts.files import read_lines

ITEMS = SimilaritySet
# The input of this track goes on after the pairs that were scored: 500 lines, 250 scores.
_LONGER_INPUT = "track6.tr-en"


class Entry(TextEntry):
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


def list_files(root: Path, entry: Entry) -> list[Path]:
    return [
        root / entry.path / "STS2017.eval.v1.1" / f"STS.input.{entry.track}.txt",
        root / entry.path / "STS2017.gs" / f"STS.gs.{entry.track}.txt",
    ]


def read(root: Path, entry: Entry) -> SimilaritySet:
    path, gold_path = list_files(root, entry)
    surplus = entry.track == _LONGER_INPUT
    pairs = scored_pairs(read_with_gold_file(path, gold_path, entry.track, surplus), 0.0, 5.0)
    pairs.drop("no_gold_score", len(read_lines(path)) - len(pairs.gold))
    return pairs
