"""SICK relatedness: the SemEval-2014 files, one per split, or the full file with a split column."""

from pathlib import Path
from typing import Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.scored_pairs import ScoredRow, scored_pairs

ITEMS = SimilaritySet
# split -> (file of the SemEval-2014 release, value of the column SemEval_set)
_SPLITS = {
    "train": ("SICK_train.txt", "TRAIN"),
    "dev": ("SICK_trial.txt", "TRIAL"),
    "test": ("SICK_test_annotated.txt", "TEST"),
}


class Entry(TextEntry):
    path: Text = Field(
        "sick/semeval2014", description="Folder of the SemEval-2014 files, or SICK.txt(.gz)."
    )
    split: Literal["train", "dev", "test"] = Field("test", description="Which split is read.")


def list_files(root: Path, entry: Entry) -> list[Path]:
    path = root / entry.path
    return [path if path.suffix in (".txt", ".gz") else path / _SPLITS[entry.split][0]]


def read(root: Path, entry: Entry) -> SimilaritySet:
    [path] = list_files(root, entry)
    columns = ["sentence_A", "sentence_B", "relatedness_score"]
    wanted = _SPLITS[entry.split][1]
    rows = (
        ScoredRow(line, path, *(row[column] for column in columns), entry.split)
        for line, row in read_headed_rows(path, columns, optional=("SemEval_set",))
        # the full file ends a row with SemEval_set; those of SemEval-2014 have no such column
        if row.get("SemEval_set", wanted).strip() == wanted
    )
    return scored_pairs(rows, 1.0, 5.0)
