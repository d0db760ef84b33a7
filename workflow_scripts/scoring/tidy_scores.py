"""Tidy scores: one row per metric, with what it was measured on and what was left out."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import parse_number, require_header, write_text


class EncoderIds(NamedTuple):
    """Ids of an encoder; for a pair of encoders model and corpus read source--target."""

    model: str
    recipe: str
    corpus: str
    seed: int

    @classmethod
    def parse(cls, text: str) -> "EncoderIds":
        match = re.fullmatch(r"([^/\s]+)/([^/\s]+)/([^/\s]+)/seed(\d+)", text)
        if match is None:
            remedy = "give model/recipe/corpus/seedN, such as a/b/c/seed33"
            raise UserError(f"encoder {text!r}", "not the ids of one", remedy)
        model, recipe, corpus, seed = match.groups()
        return cls(model, recipe, corpus, int(seed))

    def __str__(self) -> str:
        return f"{self.model}/{self.recipe}/{self.corpus}/seed{self.seed}"


@dataclass(frozen=True)
class Score:
    """One metric of one encoder on one dataset.

    `value` is a fraction, not a percentage (mean-vector norm: a length), `low` and `high` the ends
    of its 95% bootstrap interval over the `n` items, `coverage` the share of items that could be
    answered and `dropped` how many were left out, by reason.
    """

    model: str
    recipe: str
    corpus: str
    seed: int
    dataset: str
    split: str
    metric: str
    value: float
    low: float | None
    high: float | None
    n: int
    coverage: float
    dropped: dict[str, int] = field(default_factory=dict)


HEADER = [column.name for column in fields(Score)]


def write_scores(path: str | Path, scores: Iterable[Score]) -> None:
    """Write tab-separated rows under a header, with six decimals or, where more, digits."""
    rows = (HEADER, *(vars(score).values() for score in scores))
    write_text(path, "".join("\t".join(map(field_text, row)) + "\n" for row in rows))


def read_scores(path: str | Path) -> list[Score]:
    """Return the scores of a file of `write_scores`."""
    layout = Layout(what=f"a row of {' '.join(HEADER)}", width=len(HEADER))
    rows = read_rows(path, layout)
    with damaged_file_error(path):
        require_header(next(rows, (1, []))[1], HEADER)
        return [_read(cells) for _, cells in rows]


def field_text(value: Any) -> str:
    """Return a value as a field of a tsv: six decimals or, where more, digits; empty for None."""
    if value is None:
        return ""
    if isinstance(value, dict):
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    if isinstance(value, float):
        # An isotropy score may be far below 0.000001.
        return f"{value:.6g}" if 0 < abs(value) < 0.001 else f"{value:.6f}"
    return " ".join(str(value).split())


def _read(cells: list[str]) -> Score:
    model, recipe, corpus, seed, dataset, split, metric, value, low, high, *rest = cells
    n, coverage, dropped = rest
    return Score(
        *(model, recipe, corpus, int(seed), dataset, split, metric, _number(value)),
        low=_number(low) if low else None,
        high=_number(high) if high else None,
        n=int(n),
        coverage=_number(coverage),
        dropped=json.loads(dropped),
    )


def _number(text: str) -> float:
    if (number := parse_number(text)) is None:
        raise ValueError(f"{text!r} is no number")
    return number
