"""SICK relatedness: the SemEval-2014 files, one per split, or the full file with a split column."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.rows import malformed
from workflow_scripts.datasets.scored_pairs import ScoredRow, scored_pairs
from workflow_scripts.errors import UserError

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
    own_file, wanted = _SPLITS[entry.split]
    known = [name for _, name in _SPLITS.values()]

    def of_split() -> Iterator[ScoredRow]:
        for line, row in read_headed_rows(path, columns, optional=("SemEval_set",)):
            # the full file has this column, those of SemEval-2014 have a split each
            if "SemEval_set" not in row and path.name != own_file:
                raise UserError(
                    f"{path}:1",
                    f"no column SemEval_set that says what is `{entry.split}`",
                    "give the full file, or the folder of the files of SemEval-2014",
                )
            split = row.get("SemEval_set", wanted).strip()
            if split not in known:
                what = f"expected a split among {', '.join(known)}, found {split!r}"
                raise malformed(path, line, what)
            if split == wanted:
                yield ScoredRow(line, path, *(row[column] for column in columns), entry.split)

    return scored_pairs(of_split(), 1.0, 5.0)
