"""Tidy scores: one row per metric, with what it was measured on and what was left out."""

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import NamedTuple

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_rows, write_text


class EncoderIds(NamedTuple):
    """Ids of an encoder; for a pair of encoders model and corpus read source--target."""

    model: str
    recipe: str
    corpus: str
    seed: int

    @classmethod
    def parse(cls, text: str) -> "EncoderIds":
        """Return the ids of "model/recipe/corpus/seedN"; `UserError` for anything else."""
        match = re.fullmatch(r"([^/\s]+)/([^/\s]+)/([^/\s]+)/seed(\d+)", text)
        if match is None:
            raise UserError(
                f"encoder {text!r}; give model/recipe/corpus/seedN, such as a/b/c/seed33"
            )
        model, recipe, corpus, seed = match.groups()
        return cls(model, recipe, corpus, int(seed))

    def __str__(self) -> str:
        return f"{self.model}/{self.recipe}/{self.corpus}/seed{self.seed}"


@dataclass(frozen=True)
class Score:
    """One metric of one encoder on one dataset.

    `value` is a fraction (Spearman's rho, accuracy, AUC or isotropy score, not a percentage) or a
    length (mean-vector norm), `low` and `high` the ends of its 95% bootstrap interval over items
    (None where there is none), `n` the number of items it was measured on, `coverage` the share of
    items that could be answered and `dropped` how many items were left out, by reason.
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
    """Write scores as tab-separated rows under a header; no interval leaves its fields empty.

    Numbers have six decimals, and six significant digits where that is more.
    """
    lines = ["\t".join(HEADER)]
    for score in scores:
        dropped = json.dumps(score.dropped, sort_keys=True, ensure_ascii=False)
        cells = [
            score.model,
            score.recipe,
            score.corpus,
            str(score.seed),
            score.dataset,
            score.split,
            score.metric,
            _written(score.value),
            _written(score.low),
            _written(score.high),
            str(score.n),
            _written(score.coverage),
            dropped,
        ]
        lines.append("\t".join(cells))
    write_text(path, "\n".join(lines) + "\n")


def read_scores(path: str | Path) -> list[Score]:
    """Return the scores of a file of `write_scores`.

    Raises `UserError` with file and line for another header, a malformed row or a value that is no
    finite number.
    """
    rows = read_rows(path, len(HEADER), f"a row of {' '.join(HEADER)}")
    if next(rows, (1, []))[1] != HEADER:
        raise UserError(
            f"{path}:1: expected the header {' '.join(HEADER)}; score the encoder again"
        )
    return [_score(cells, f"{path}:{number}") for number, cells in rows]


def _written(number: float | None) -> str:
    if number is None:
        return ""
    # An isotropy score may be far below 0.000001.
    return f"{number:.6g}" if 0 < abs(number) < 0.001 else f"{number:.6f}"


def _score(cells: list[str], place: str) -> Score:
    try:
        model, recipe, corpus, seed, dataset, split, metric, value, low, high, *rest = cells
        n, coverage, dropped = rest
        score = Score(
            model,
            recipe,
            corpus,
            int(seed),
            dataset,
            split,
            metric,
            float(value),
            float(low) if low else None,
            float(high) if high else None,
            int(n),
            float(coverage),
            json.loads(dropped),
        )
    except ValueError as error:
        raise UserError(f"{place}: malformed score ({error}); score the encoder again") from error
    ends = [end for end in (score.low, score.high) if end is not None]
    if (
        not all(map(math.isfinite, [score.value, *ends]))
        or len(ends) == 1
        or not isinstance(score.dropped, dict)
    ):
        raise UserError(f"{place}: malformed score; score the encoder again")
    return score
