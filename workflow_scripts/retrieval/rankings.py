"""Rankings as tab-separated files: what retrieval writes and scoring reads."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TypeVar

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_rows, write_text


@dataclass(frozen=True)
class RankedName:
    """A name found for a part of a mention of a linking dataset; all from 0 but `rank`, from 1.

    `name_row` is a position in the dataset's `names`.
    """

    dataset: str
    query: int
    part: int
    rank: int
    name_row: int
    score: float


@dataclass(frozen=True)
class RankedTranslation:
    """A target word found for a source word of a lexicon; all from 0 but `rank`, from 1.

    `query` counts the distinct source words of the test pairs in order of first occurrence;
    `target_row` is a position in the target `vocabulary`.
    """

    dataset: str
    query: int
    rank: int
    target_row: int
    score: float


Ranked = TypeVar("Ranked", RankedName, RankedTranslation)


def write_rankings(path: str | Path, kind: type[Ranked], rows: Iterable[Ranked]) -> None:
    """Write rows under a header with the fields of `kind`; scores with nine significant digits."""
    lines = ["\t".join(column.name for column in fields(kind))]
    for row in rows:
        *ids, score = astuple(row)
        lines.append("\t".join([*map(str, ids), f"{score:.9g}"]))
    write_text(path, "\n".join(lines) + "\n")


def read_rankings(path: str | Path, kind: type[Ranked]) -> list[Ranked]:
    """Return the rows of a file of `write_rankings`.

    Raises `UserError` with file and line for another header or a malformed row.
    """
    columns = fields(kind)
    header = [column.name for column in columns]
    rows = read_rows(path, len(header), f"a row of {' '.join(header)}")
    if next(rows, (1, []))[1] != header:
        raise UserError(f"{path}:1: expected the header {' '.join(header)}; make the file again")
    ranked = []
    for number, (dataset, *ids, score) in rows:
        try:
            ranked.append(kind(dataset, *map(int, ids), float(score)))
        except (ValueError, TypeError) as error:
            raise UserError(
                f"{path}:{number}: not a row of {' '.join(header)}; make the file again"
            ) from error
    return ranked
