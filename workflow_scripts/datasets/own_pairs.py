"""Your own scored pairs, from a table or from Python, as a data set outside the catalogues."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from workflow_scripts.datasets.entry import DatasetEntry
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.scored_pairs import ScoredRow, scored_pairs
from workflow_scripts.errors import UserError
from workflow_scripts.string_columns import column_names, read_columns

# what a pair has: two strings and a score
_PARTS = 3
# ISO 639-2: undetermined
_LANGUAGE = "und"
Half = Literal["first", "second"]
Row = TypeVar("Row")
Pair = TypeVar("Pair", bound=Sequence[Any])


class OwnPairs(NamedTuple):
    """A data set of task similarity."""

    name: str
    entry: DatasetEntry
    items: SimilaritySet


def split_pairs(pairs: Iterable[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Split pairs (left string, right string, ...) into two halves, each in the order of the input.

    The half of a pair depends on a hash of its strings, not on its position. So the halves are as
    good as random even if the pairs are sorted by score, and every call gives the same ones. A
    repeated or reversed pair falls into the same half.
    """
    rows = list(pairs)
    return _halves(rows, (row[:2] for row in rows))


def _halves(rows: Sequence[Row], strings: Iterable[Sequence[str]]) -> tuple[list[Row], list[Row]]:
    digests = [
        hashlib.sha256("\t".join(sorted(map(str, two))).encode()).hexdigest() for two in strings
    ]
    distinct = sorted(set(digests))
    in_first = set(distinct[: (len(distinct) + 1) // 2])
    halves: tuple[list[Row], list[Row]] = ([], [])
    for row, digest in zip(rows, digests, strict=True):
        halves[digest not in in_first].append(row)
    return halves


def read_own_pairs(
    option: str, path: Path, columns: Sequence[str], half: Half | None = None
) -> OwnPairs:
    """Return the pairs of a table (CSV, TSV, JSON lines, Parquet); its name is that of the set.

    Or those of one `half`, as `split_pairs` has them. Raises `UserError`, by the option that names
    the table or by file and line.
    """
    if len(columns) != _PARTS:
        shown = ", ".join(column_names(path))
        problem = f"has the columns {shown}"
        remedy = (
            "name those of left string, right string and score: --pair-columns LEFT RIGHT SCORE"
        )
        raise UserError(f"{option} {path}", problem, remedy)
    name = path.name.partition(".")[0]
    if half is not None:
        name = f"{name}-{half}-half"
    rows = [
        ScoredRow(line, path, left, right, gold, name)
        for line, (left, right, gold) in read_columns(path, columns, {})
    ]
    if half is not None:
        rows = _halves(rows, ((row.left, row.right) for row in rows))[half == "second"]
    return _own_pairs(name, rows, str(path))


def list_own_pairs(pairs: Iterable[tuple[str, str, float]], name: str = "pairs") -> OwnPairs:
    """Return pairs (left string, right string, score) as a data set."""
    return _own_pairs(name, _rows_of(pairs, name), name)


def _rows_of(pairs: Iterable[tuple[str, str, float]], name: str) -> Iterator[ScoredRow]:
    for number, pair in enumerate(pairs, start=1):
        parts: tuple[Any, ...] = tuple(pair) if isinstance(pair, tuple | list) else ()
        if len(parts) != _PARTS or not all(isinstance(text, str) for text in parts[:2]):
            problem = "not two strings and a score"
            raise UserError(f"{name}[{number - 1}]", problem, "give (left, right, score)")
        yield ScoredRow(number, Path(name), parts[0], parts[1], str(parts[2]), name)


def _own_pairs(name: str, rows: Iterable[ScoredRow], where: str) -> OwnPairs:
    items = scored_pairs(rows, -math.inf, math.inf, "a string")
    block: dict[str, Any] = {"task": "similarity", "format": "scored-pairs", "path": where}
    if len(set(items.gold)) < 2:
        problem = "no pairs" if not items.gold else "all pairs have the same score"
        raise UserError(where, problem, "give pairs with different scores")
    return OwnPairs(name, read_entry(name, block | {"language": _LANGUAGE}, where), items)
