"""SimLex-999: English word pairs with a similarity from 0 to 10."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.datasets.items import SimilaritySet, parse_gold, require_strings
from workflow_scripts.datasets.options import Option

OPTIONS = {"path": Option((str,), "simlex-999/SimLex-999.txt")}
LOWEST, HIGHEST = 0.0, 10.0


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the one file."""
    return [root / options["path"]]


def read(root: Path, options: Mapping[str, Any]) -> SimilaritySet:
    """Return all pairs; `subset` is the part of speech (A, N or V).

    Raises `UserError` for a malformed header or row, and for a score outside 0-10.
    """
    path = root / options["path"]
    pairs = SimilaritySet([], [], [], [])
    for line, row in read_headed_rows(path, ["word1", "word2", "SimLex999", "POS"]):
        require_strings([row["word1"], row["word2"]], "a word", path, line)
        pairs.left.append(row["word1"])
        pairs.right.append(row["word2"])
        pairs.gold.append(parse_gold(row["SimLex999"], LOWEST, HIGHEST, path, line))
        pairs.subset.append(row["POS"])
    return pairs
