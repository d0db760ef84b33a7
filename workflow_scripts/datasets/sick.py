"""SICK relatedness: the SemEval-2014 files, one per split, or the full file with a split column."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.datasets.items import SimilaritySet, parse_gold, require_strings
from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError, nearest_name

OPTIONS = {
    # A folder with the SemEval-2014 files, or the file SICK.txt or SICK.txt.gz.
    "path": Option((str,), "sick/semeval2014"),
}
LOWEST, HIGHEST = 1.0, 5.0
# split -> (file of the SemEval-2014 release, value of the column SemEval_set)
_SPLITS = {
    "train": ("SICK_train.txt", "TRAIN"),
    "dev": ("SICK_trial.txt", "TRIAL"),
    "test": ("SICK_test_annotated.txt", "TEST"),
}


def _file_of(root: Path, options: Mapping[str, Any]) -> Path:
    if options["split"] not in _SPLITS:
        hint = nearest_name(options["split"], list(_SPLITS))
        raise UserError(f"split {options['split']!r} of SICK does not exist; {hint}")
    path = root / options["path"]
    if path.suffix in (".txt", ".gz"):
        return path
    return path / _SPLITS[options["split"]][0]


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the one file that holds the split."""
    return [_file_of(root, options)]


def read(root: Path, options: Mapping[str, Any]) -> SimilaritySet:
    """Return the pairs of a split, columns found by header.

    `subset` is the split. Raises `UserError` for a malformed header or row, and for a score
    outside 1-5.
    """
    path = _file_of(root, options)
    wanted = _SPLITS[options["split"]][1]
    columns = ["sentence_A", "sentence_B", "relatedness_score"]
    pairs = SimilaritySet([], [], [], [])
    for line, row in read_headed_rows(path, columns, optional=("SemEval_set",)):
        # The full file ends a row with SemEval_set; the SemEval-2014 files have no such column.
        if row.get("SemEval_set", wanted).strip() != wanted:
            continue
        require_strings([row["sentence_A"], row["sentence_B"]], "a sentence", path, line)
        pairs.left.append(row["sentence_A"])
        pairs.right.append(row["sentence_B"])
        pairs.gold.append(parse_gold(row["relatedness_score"], LOWEST, HIGHEST, path, line))
        pairs.subset.append(options["split"])
    return pairs
