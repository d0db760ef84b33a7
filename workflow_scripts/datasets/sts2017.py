"""SemEval-2017 task 1: 250 pairs a track, within and across languages (paper Table 4: es, ar).

`STS2017.eval.v1.1/STS.input.<track>.txt` holds sentence<TAB>sentence, and line by line with it
`STS2017.gs/STS.gs.<track>.txt` a score from 0 to 5.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.items import (
    SimilaritySet,
    count_dropped,
    parse_gold,
    require_strings,
)
from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, read_rows

TRACKS = (
    "track1.ar-ar",
    "track2.ar-en",
    "track3.es-es",
    "track4a.es-en",
    "track4b.es-en",
    "track5.en-en",
    "track6.tr-en",
)
OPTIONS = {"path": Option((str,), "sts2017"), "track": Option((str,), choices=TRACKS)}
LOWEST, HIGHEST = 0.0, 5.0
# The input of this track goes on after the pairs that were scored: 500 lines, 250 scores.
_LONGER_INPUT = "track6.tr-en"


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the file of the pairs and that of their scores."""
    folder, track = root / options["path"], options["track"]
    return [
        folder / "STS2017.eval.v1.1" / f"STS.input.{track}.txt",
        folder / "STS2017.gs" / f"STS.gs.{track}.txt",
    ]


def read(root: Path, options: Mapping[str, Any]) -> SimilaritySet:
    """Return the scored pairs of a track; `subset` is the track.

    Raises `UserError` for a row without two sentences, a score outside 0-5, and files of different
    length (on track 6, fewer pairs than scores).
    """
    input_path, gold_path = list_files(root, options)
    rows = list(read_rows(input_path, 2, "a row of sentence<TAB>sentence"))
    scores = read_lines(gold_path)
    surplus = len(rows) - len(scores)
    if surplus < 0 or (surplus and options["track"] != _LONGER_INPUT):
        raise UserError(
            f"{input_path} has {len(rows)} lines but {gold_path} has {len(scores)}; "
            "line i of one must belong to line i of the other: fetch both files again"
        )
    pairs = SimilaritySet([], [], [], [], {})
    count_dropped(pairs.dropped, "no_gold_score", surplus)
    for (line, fields), score in zip(rows, scores, strict=False):
        require_strings(fields[:2], "a sentence", input_path, line)
        pairs.left.append(fields[0])
        pairs.right.append(fields[1])
        pairs.gold.append(parse_gold(score, LOWEST, HIGHEST, gold_path, line))
        pairs.subset.append(options["track"])
    return pairs
