"""Sentences to tune on, from mined parallel text."""

import math
from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_rows


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
