"""What opens from a cell of a table of scores: encoders, seeds, data, and how it is compared.

All of it is of the scores; settings, cards, logs and seconds of the run are in run.js beside the
pages (`run_records`), under the ids of encoders and of score files that are given here.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from workflow_scripts.scoring.tidy_scores import Score
from workflow_scripts.tables import numbers as form
from workflow_scripts.tables.blocks import AVERAGE, CHANGE, Column, Row, Table
from workflow_scripts.tables.cells import (
    INSIDE,
    NO_PUBLISHED,
    NOT_COMPARABLE,
    NOT_RUN,
    OUTSIDE,
    ShownCell,
    ShownTable,
)

# between the two models, and the two corpora, of a lexicon
PAIR = "--"
_STATUS = {
    INSIDE: "compared with the paper: within the tolerance",
    OUTSIDE: "compared with the paper: beyond the tolerance",
    NOT_COMPARABLE: "not comparable with the paper",
    NOT_RUN: "not run",
    NO_PUBLISHED: "no published value",
}


def columns_behind(table: Table, column: str) -> list[str]:
    """Return the columns of data sets that a shown column is made of: an average has all."""
    if column == CHANGE:
        return columns_behind(table, table.change_of or "")
    return [shown.id for shown in table.columns] if column == AVERAGE else [column]


def models_of(table: ShownTable, row: Row) -> list[str]:
    """Return the ids of the models of a row, sorted; none of a row that was not run."""
    scores = [of_cell for (name, _), of_cell in table.scores.items() if name == row.id]
    return sorted(
        {model for of_cell in scores for score in of_cell for model in score.model.split(PAIR)}
    )


def _distinct(values: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(values))


def _seeds(scores: list[Score], factor: int, digits: int) -> str:
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


def _against(table: Table, cell: ShownCell, digits: int) -> list[str]:
    if (against := cell.against) is None:
        return []
    text = f"{form.format_difference(against.difference, digits)} to {table.row(against.row).label}"
    if against.interval is not None:
        text += f" {form.format_interval(against.interval, digits)}"
    return [text if against.p_value is None else f"{text}, p {form.format_p(against.p_value)}"]


def cell_details(table: ShownTable, row: Row, column: Column) -> dict[str, Any]:
    """Return the title of a cell, its `terms` (name, lines), and the ids behind: see the module."""
    cell = table.cells[row.id, column.id]
    behind = columns_behind(table.block, column.id)
    scores = [score for name in behind for score in table.scores.get((row.id, name), [])]
    digits, factor = column.digits, table.block.factor
    deviation = cell.deviation is not None and form.format_number(cell.deviation, digits)
    value = [] if cell.mean is None else [form.format_number(cell.mean, digits)]
    reasons = cell.differences_from_paper if cell.not_run is None else [cell.not_run]
    terms: Mapping[str, list[str]] = {
        "Value": [f"{mean} ± {deviation}" if deviation else mean for mean in value],
        "95% interval": [form.format_interval(cell.interval, digits)] if cell.interval else [],
        "Paper": [] if cell.published is None else [form.format_published(cell.published)],
        "Difference": _against(table.block, cell, digits),
        "Status": [": ".join([_STATUS[cell.status], *reasons[:1]]), *reasons[1:]],
        "Assumed": list(cell.assumptions) if cell.is_compared else [],
        "Model": [_distinct(score.model for score in scores)],
        "Recipe": [_distinct(score.recipe for score in scores)],
        "Corpus": [_distinct(score.corpus for score in scores)],
        "Seeds": [_seeds(scores, factor, digits)] if scores else [],
        "Measured on": _data(scores),
    }
    parts = [part for name in behind for part in row.cells[name].parts] if scores else []
    return {
        "title": f"{row.label}: {column.label}",
        "terms": [[name, lines] for name, lines in terms.items() if any(lines)],
        "scores": list(dict.fromkeys(score_id(path) for part in parts for path in part.scores)),
    }
