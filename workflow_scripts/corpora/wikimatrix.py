"""Mined parallel text: rows of margin score<TAB>sentence<TAB>sentence."""

from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.datasets.rows import malformed
from workflow_scripts.files import parse_number, read_rows


def read_wikimatrix(path: Path, margin: float) -> Iterator[list[str]]:
    """Yield the rows of a WikiMatrix file from `margin` on.

    1.04 is what the authors of WikiMatrix advise for good translations (Schwenk et al. 2021).
    """
    for line, fields in read_rows(path, 3, "a row of margin score<TAB>sentence<TAB>sentence"):
        score = parse_number(fields[0])
        if score is None:
            raise malformed(path, line, f"expected a margin score first, found {fields[0]!r}")
        if score >= margin:
            yield fields
