"""Sentences to tune on, from mined parallel text and from sets of sentence pairs."""

import math
from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.datasets.pair_rows import read_pair_rows
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_rows

# Columns of a pair's two strings in the files of GLUE and of the Stanford NLI group.
QNLI = ["question", "sentence"]
NLI = ["sentence1", "sentence2"]


def read_wikimatrix(path: Path, side: str, margin: float) -> Iterator[str]:
    """Yield one side of a WikiMatrix file: rows of margin score<TAB>sentence<TAB>sentence.

    `side` is "left" or "right": the first or the second language of the file's name. Pairs are
    taken from `margin` on (1.04 is what the authors of WikiMatrix advise for good translations;
    Schwenk et al. 2021). Raises `UserError` for a row with fewer than three columns and for a
    score that is no number.
    """
    column = {"left": 1, "right": 2}[side]
    for line, fields in read_rows(path, 3, "a row of margin score<TAB>sentence<TAB>sentence"):
        try:
            score = float(fields[0])
        except ValueError:
            score = math.nan
        if math.isnan(score):
            raise UserError(
                f"{path}:{line}: expected a margin score first, found {fields[0]!r}; "
                "mend or remove the line"
            )
        if score >= margin:
            yield fields[column]


def read_both_sentences(path: Path, columns: list[str]) -> Iterator[str]:
    """Yield both strings of each pair of a file; `columns` are their names (`QNLI`, `NLI`).

    Reads a tab-separated file with a header, `.jsonl`, and a sample as `.json`; labels do not
    count, and a row without a string in one of the columns gives an empty one. Raises `UserError`
    with file and line for a malformed row.
    """
    for _, sentences in read_pair_rows(path, columns):
        yield from sentences
