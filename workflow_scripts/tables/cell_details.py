"""What opens from a cell of a table of scores: encoders, seeds, data, and how it is compared.

All of it is of the scores; settings, cards, logs and seconds of the run are in run.js next to the
pages (`run_records`), under the ids of encoders and of score files that are given here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workflow_scripts.scoring.tidy_scores import Score
from workflow_scripts.tables import numbers as form
from workflow_scripts.tables.cells import (
    INSIDE,
    NO_PUBLISHED,
    NOT_COMPARABLE,
    NOT_RUN,
    OUTSIDE,
    Cell,
)
from workflow_scripts.tables.table import Column, Row, Table

# between the two models, and the two corpora, of a lexicon
PAIR = "--"
_STATUS = {
    INSIDE: "compared with the paper: within the tolerance",
    OUTSIDE: "compared with the paper: beyond the tolerance",
    NOT_COMPARABLE: "not comparable with the paper",
    NOT_RUN: "not run",
    NO_PUBLISHED: "no published value",
}


def models_of(table: Table, row: Row) -> list[str]:
    """Return the ids of the models of a row, sorted; none of a row that was not run."""
    scores = (score for cell in table.cells_of(row) for score in cell.scores)
    return sorted({model for score in scores for model in score.model.split(PAIR)})


def _distinct(values: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(values))


def _seeds(scores: Sequence[Score], factor: int, digits: int) -> str:
    """Return the seeds, each with its value where one data set alone is behind the cell."""
    if len({(score.dataset, score.metric) for score in scores}) > 1:
        return _distinct(str(score.seed) for score in scores)
    values = (form.format_number(factor * score.value, digits) for score in scores)
    return ", ".join(f"{score.seed}: {value}" for score, value in zip(scores, values, strict=True))


def _data(scores: Iterable[Score]) -> list[str]:
    lines = []
    for score in scores:
        dropped = (f"{reason} {count}" for reason, count in sorted(score.dropped.items()) if count)
        line = f"{score.dataset} ({score.split}), {score.metric}: n {score.n:,}, coverage "
        line += form.format_number(score.coverage)
        lines.append("; ".join([line, *(f"left out: {what}" for what in dropped)]))
    return list(dict.fromkeys(lines))


def score_id(path: str) -> str:
    """Return the id of a file of scores: encoder and suite, or both sides and lexicon."""
    _, folder, rest = path.rpartition("/scores/")
    return (rest if folder else path.rpartition("/")[2]).removesuffix(".tsv")


def _against(table: Table, cell: Cell, digits: int) -> list[str]:
    if cell.against_difference is None:
        return []
    text = f"{form.format_difference(cell.against_difference, digits)} to "
    text += table.row(cell.against).label
    if cell.against_interval is not None:
        text += f" {form.format_interval(cell.against_interval, digits)}"
    return [text if cell.p_value is None else f"{text}, p {form.format_p(cell.p_value)}"]


def cell_details(table: Table, row: Row, column: Column) -> dict[str, Any]:
    """Return the title of a cell, its `terms` (name, lines), and the ids behind: see the module."""
    cell, digits = table.cells[row.id, column.id], column.digits
    value = [] if cell.mean is None else [form.format_number(cell.mean, digits)]
    if cell.sd is not None:
        value.append(form.format_number(cell.sd, digits))
    terms: Mapping[str, list[str]] = {
        "Value": [" ± ".join(value)],
        "95% interval": [form.format_interval(cell.interval, digits)] if cell.interval else [],
        "Paper": [] if cell.published is None else [form.format_published(cell.published)],
        "Difference": _against(table, cell, digits),
        "Status": [": ".join([_STATUS[cell.status], *cell.reasons[:1]]), *cell.reasons[1:]],
        "Assumed": list(cell.assumptions) if cell.is_compared else [],
        **{
            name.capitalize(): [_distinct(getattr(score, name) for score in cell.scores)]
            for name in ("model", "recipe", "corpus")
        },
        "Seeds": [_seeds(cell.scores, table.factor, digits)],
        "Measured on": _data(cell.scores),
    }
    paths = (path for part in cell.parts for path in part.scores)
    return {
        "title": f"{row.label}: {column.label}",
        "terms": [[name, lines] for name, lines in terms.items() if any(lines)],
        "scores": list(dict.fromkeys(map(score_id, paths))),
    }
