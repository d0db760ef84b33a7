"""Rankings as tab-separated files: what retrieval writes and scoring reads."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import atomic_text, require_header, write_text

# of what commands find
Format = Literal["tsv", "jsonl"]
FORMATS: tuple[str, ...] = get_args(Format)


# of the scores of commands
_DIGITS = 6


def as_written(scores: Any) -> Any:
    """Return scores as commands write them, which is what thresholds and margins are set against.

    Rounding leaves the product of equal vectors just below 1, where 1.000000 is written.
    """
    # Only now: tables import this module, and do without numpy.
    import numpy as np

    return np.round(scores, _DIGITS)


class RankedName(NamedTuple):
    """A name found for a part of a mention; all from 0 but `rank`, from 1."""

    dataset: str
    query: int
    part: int
    rank: int
    name_row: int  # in the dataset's `names`
    score: float


class RankedTranslation(NamedTuple):
    """A target word found for a source word of a lexicon; all from 0 but `rank`, from 1."""

    dataset: str
    query: int  # of the distinct source words of the test pairs, by first occurrence
    rank: int
    target_row: int  # in the target `vocabulary`
    score: float


Ranked = TypeVar("Ranked", RankedName, RankedTranslation)


def write_rankings(path: str | Path, kind: type[Ranked], rows: Iterable[Ranked]) -> None:
    """Write rows under a header with the fields of `kind`; scores with nine significant digits."""
    lines = ["\t".join(kind._fields)]
    for *ids, score in rows:
        lines.append("\t".join([*map(str, ids), f"{score:.9g}"]))
    write_text(path, "\n".join(lines) + "\n")


def write_found(
    path: Path, form: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], digits: str
) -> None:
    """Write what a command found, whole or not at all: tsv with a header, or JSON lines.

    Numbers with a point are written by `digits`, such as ".6f".
    """
    try:
        with atomic_text(path) as stream:
            if form == "tsv":
                stream.write("\t".join(columns) + "\n")
            for row in rows:
                shown = [
                    format(value, digits) if isinstance(value, float) else value for value in row
                ]
                if form == "tsv":
                    stream.write("\t".join(map(str, shown)) + "\n")
                    continue
                pairs = zip(row, shown, strict=True)
                values = [float(own) if isinstance(value, float) else value for value, own in pairs]
                content = dict(zip(columns, values, strict=True))
                stream.write(json.dumps(content, ensure_ascii=False) + "\n")
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise UserError(path, problem, "free space there or choose another --output") from error


def read_rankings(path: str | Path, kind: type[Ranked]) -> list[Ranked]:
    """Return the rows of a file of `write_rankings`."""
    layout = Layout(what=f"a row of {kind.__name__}", width=len(kind._fields))
    rows = read_rows(path, layout)
    with damaged_file_error(path):
        require_header(next(rows, (1, []))[1], kind._fields)
        return [
            kind._make([dataset, *map(_whole_number, ids), float(score)])
            for _, (dataset, *ids, score) in rows
        ]


def _whole_number(text: str) -> int:
    # `int` reads -1, which counts rows from the end, and 1_0
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{text!r} is not a number of 0 or more")
    return int(text)


def rows_by_dataset(links: Iterable[RankedName]) -> dict[str, list[list[list[int]]]]:
    """Return the rows of ranked names, in their order, per data set, mention and part.

    `IndexError` for those that are not in that order.
    """
    ranked: dict[str, list[list[list[int]]]] = defaultdict(list)
    for link in links:
        mentions = ranked[link.dataset]
        if link.query == len(mentions):
            mentions.append([])
        parts = mentions[link.query]
        if link.part == len(parts):
            parts.append([])
        if (link.query, link.part) != (len(mentions) - 1, len(parts) - 1):
            raise IndexError(f"query {link.query} part {link.part} after later ones")
        parts[link.part].append(link.name_row)
        if link.rank != len(parts[link.part]):
            raise IndexError(f"rank {link.rank} of query {link.query} is out of order")
    return dict(ranked)
