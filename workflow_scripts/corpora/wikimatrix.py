"""Mined parallel text: rows of margin score<TAB>sentence<TAB>sentence."""

from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.delimited import Layout, malformed, read_rows
from workflow_scripts.files import parse_number

_LAYOUT = Layout((1, 2, 3), "a row of margin score<TAB>sentence<TAB>sentence")


def read_wikimatrix(path: Path, margin: float) -> Iterator[list[str]]:
    """Yield the rows of a WikiMatrix file from `margin` on.

    1.04 is what the authors of WikiMatrix advise for good translations (Schwenk et al. 2021).
    """
    for line, fields in read_rows(path, _LAYOUT):
        score = parse_number(fields[0])
        if score is None:
            raise malformed(path, line, f"expected a margin score first, found {fields[0]!r}")
        if score >= margin:
            yield fields
