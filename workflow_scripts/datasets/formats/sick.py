"""SICK relatedness: the SemEval-2014 files, one per split, or the full file with a split column."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.scored_pairs import ScoredColumns
from workflow_scripts.delimited import Layout, Row, malformed, read_rows
from workflow_scripts.errors import UserError


class Entry(ScoredColumns):
    LAYOUT: ClassVar = Layout(
        ("sentence_A", "sentence_B", "relatedness_score"), optional=["SemEval_set"]
    )
    SCALE: ClassVar = (1.0, 5.0)
    # split -> (file of the SemEval-2014 release, value of the column SemEval_set)
    SPLITS: ClassVar = {
        "train": ("SICK_train.txt", "TRAIN"),
        "dev": ("SICK_trial.txt", "TRIAL"),
        "test": ("SICK_test_annotated.txt", "TEST"),
    }

    path: Text = Field(
        "sick/semeval2014", description="Folder of the SemEval-2014 files, or SICK.txt(.gz)."
    )
    split: Literal["train", "dev", "test"] = Field("test", description="Which split is read.")

    def list_files(self, root: Path) -> list[Path]:
        path = root / self.path
        return [path if path.suffix in (".txt", ".gz") else path / self.SPLITS[self.split][0]]

    def rows(self, path: Path) -> Iterator[Row]:
        own_file, own_split = self.SPLITS[self.split]
        known = [name for _, name in self.SPLITS.values()]
        # the full file has this column, those of SemEval-2014 have a split each
        is_full = "SemEval_set" in next(read_rows(path, Layout()), (0, []))[1]
        for line, (*row, split) in super().rows(path):
            if not is_full and path.name != own_file:
                raise UserError(
                    f"{path}:1",
                    f"no column SemEval_set that says what is `{self.split}`",
                    "give the full file, or the folder of the files of SemEval-2014",
                )
            split = split.strip() if is_full else own_split
            if split not in known:
                what = f"expected a split among {', '.join(known)}, found {split!r}"
                raise malformed(path, line, what)
            if split == own_split:
                yield line, [*row, self.split]
