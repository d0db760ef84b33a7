"""Tables filled with scores: means over seeds, averages, published values, best of a column."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import chain
from typing import Any, NamedTuple

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.tidy_scores import EncoderIds, Score
from workflow_scripts.tables.cells import Cell, Part, mean_and_deviation
from workflow_scripts.tables.numbers import rounded
from workflow_scripts.tables.table import AVERAGE, CHANGE, Column, Row, Table

NO_PLACE = "the published value has no row or column in this table"

Published = Mapping[tuple[str, str], Decimal]  # by ids of row and column
Scores = Mapping[str, Sequence[Score]]  # by file


class Sample(NamedTuple):
    """Items, share of them answered and left out by reason; `rows` that have it unless all do."""

    dataset: str
    n: int
    coverage: float
    dropped: dict[str, int]
    rows: tuple[str, ...] = ()


def _scores_of_part(part: Part, scores: Scores) -> list[Score]:
    of_seeds: list[Score] = []
    for path in part.scores:
        matching = [s for s in scores[path] if (s.dataset, s.metric) == (part.dataset, part.metric)]
        if len(matching) != 1:
            raise UserError(
                path,
                f"{len(matching) or 'no'} rows with dataset `{part.dataset}` and metric "
                f"`{part.metric}`",
                "score the encoder again, or fix the column of the table",
            )
        of_seeds += matching
    encoders = [
        EncoderIds(score.model, score.recipe, score.corpus, score.seed) for score in of_seeds
    ]
    seeds = {ids.seed for ids in encoders}
    if len({ids[:3] for ids in encoders}) > 1 or len(seeds) < len(encoders):
        problem = f"scores of {', '.join(map(str, encoders))}, not of one encoder by its seeds"
        raise UserError(", ".join(part.scores), problem, "score the encoder again")
    return sorted(of_seeds, key=lambda score: score.seed)


def _with_scores(cell: Cell, scores: Scores, factor: int) -> Cell:
    """Return the cell with its scores and, by seed, the mean over its parts as shown."""
    parts = [_scores_of_part(part, scores) for part in cell.parts]
    seeds = [", ".join(str(score.seed) for score in part) for part in parts]
    for part, own in zip(cell.parts, seeds, strict=True):
        if own != seeds[0]:
            raise UserError(
                None,
                f"{part.dataset} is of seeds {own}, but {cell.parts[0].dataset} of {seeds[0]}: "
                "a cell is a mean over both, seed by seed",
                "score the encoders again",
            )
    by_seed = [{score.seed: score.value for score in part} for part in parts]
    values = {
        seed: factor * statistics.fmean(values[seed] for values in by_seed) for seed in by_seed[0]
    }
    return replace(cell, values=values, scores=tuple(chain.from_iterable(parts)))


def _not_run(cell: Cell, reason: str) -> Cell:
    return replace(cell, values={}, tolerance=None, reasons=(reason,), assumptions=())


def _measured(cell: Cell, column: Column) -> Cell:
    """Return a cell with mean and deviation of its values; a deviation may itself be its value."""
    mean, deviation = mean_and_deviation(cell.values.values())
    if not column.shows_means:
        if deviation is None:
            return _not_run(cell, "a single seed has no deviation")
        mean, deviation = deviation, None
    n = sum({score.dataset: score.n for score in cell.scores}.values()) or None
    return replace(cell, mean=mean, sd=deviation, seeds=len(cell.values), n=n)


def _combined(cells: Iterable[Cell]) -> dict[str, Any]:
    """Return the reasons and the assumptions of all `cells`, each once."""
    cells = list(cells)
    return {
        key: tuple(dict.fromkeys(chain.from_iterable(getattr(cell, key) for cell in cells)))
        for key in ("reasons", "assumptions")
    }


def _average(table: Table, row: Row, cells: Sequence[Cell], published: Published) -> Cell:
    """Return the average over the columns of a whole row: per seed first, then over seeds.

    It has every difference from the paper that its columns have, and one more where the paper
    averages other columns; its tolerance is the mean of theirs.
    """
    parts, scores = (
        tuple(chain.from_iterable(getattr(cell, key) for cell in cells))
        for key in ("parts", "scores")
    )
    average = Cell(table.id, row.id, AVERAGE, parts=parts, scores=scores)
    if missing := [cell.reasons[0] for cell in cells if cell.mean is None]:
        same = len(missing) == len(cells) and len(set(missing)) == 1
        return _not_run(average, missing[0] if same else "averages need complete rows")
    seeds = cells[0].values.keys()
    if any(cell.values.keys() != seeds for cell in cells):
        return _not_run(average, "averages need the same seeds in all columns")
    means = {seed: statistics.fmean(cell.values[seed] for cell in cells) for seed in seeds}
    tolerances = [cell.tolerance for cell in cells if cell.tolerance is not None]
    assert len(tolerances) == len(cells)
    tolerance = sum(tolerances, Decimal(0)) / len(tolerances)
    combined = _combined(cells)
    combined["reasons"] += _other_columns(table, row, published)
    average = replace(average, values=means, tolerance=tolerance, **combined)
    return _measured(average, table.score_columns[0])


def _other_columns(table: Table, row: Row, published: Published) -> tuple[str, ...]:
    """Return why the average of a row is over other columns than the paper's."""
    own = {column.id for column in table.score_columns}
    printed = {column for name, column in published if name == row.id} - {AVERAGE, CHANGE}
    if lacking := len(printed - own):
        return (f"the average lacks {lacking} of the paper's {len(printed)} columns",)
    # of a column that the paper prints for other rows a value may have been left out
    if printed and (more := own - {column for _, column in published}):
        return (f"the average has columns that the paper's lacks: {', '.join(sorted(more))}",)
    return ()


def _with_published(cell: Cell, published: Published, digits: int) -> Cell:
    value = published.get((cell.row, cell.column))
    if value is None or cell.mean is None or cell.reasons:
        return replace(cell, published=value)
    # from the mean as shown, so that the three figures of a cell agree
    return replace(cell, published=value, difference=rounded(cell.mean, digits) - value)


Cells = dict[tuple[str, str], Cell]


def _compare_rows(cells: Cells, table: Table) -> None:
    for row in table.rows:
        if row.against is None:
            continue
        for column in table.mean_columns:
            cell, other = cells[row.id, column.id], cells[row.against, column.id]
            if cell.mean is not None and other.mean is not None:
                change = rounded(cell.mean, column.digits) - rounded(other.mean, column.digits)
                against: dict[str, Any] = {"against": row.against, "against_difference": change}
                cells[row.id, column.id] = replace(cell, **against)


def _add_changes(cells: Cells, table: Table, published: Published) -> None:
    """Fill the column of changes: the differences between rows in the column `change_of`."""
    if table.change_of is None:
        return
    column = table.shown_columns[-1]
    for row in table.rows:
        cell = cells[row.id, table.change_of]
        change = Cell(table.id, row.id, CHANGE, parts=cell.parts, scores=cell.scores)
        if cell.against_difference is None:
            reason = "the row that others are compared with"
            if row.against is not None:
                reason = "this row or the row that it is compared with was not run"
            elif cell.mean is None:
                reason = cell.reasons[0]
            change = _not_run(change, reason)
        else:
            change = replace(
                change,
                mean=float(cell.against_difference),
                seeds=cell.seeds,
                n=cell.n,
                tolerance=cell.tolerance,
                **_combined([cell, cells[cell.against, table.change_of]]),
            )
        cells[row.id, CHANGE] = _with_published(change, published, column.digits)


def _mark_best(cells: Cells, table: Table) -> None:
    for column in table.mean_columns:
        shown = {
            row.id: rounded(mean, column.digits)
            for row in table.rows
            if (mean := cells[row.id, column.id].mean) is not None
        }
        best = sorted(set(shown.values()), reverse=not column.lower_is_better)[:2]
        for row, value in shown.items():
            # of one value alone nothing is better than anything else
            if len(best) == 2 and value in best:
                key = row, column.id
                cells[key] = replace(cells[key], rank=1 + best.index(value))


def samples(table: Table) -> tuple[Sample, ...]:
    """Return what each dataset was measured on; what agrees over rows and metrics shares a line."""
    measured_on: dict[str, dict[Any, set[str]]] = {}
    for column in table.score_columns:
        for row in table.rows:
            for score in table.cells[row.id, column.id].scores:
                key = (score.n, score.coverage, tuple(sorted(score.dropped.items())))
                measured_on.setdefault(score.dataset, {}).setdefault(key, set()).add(row.id)
    lines = []
    for dataset, measured in measured_on.items():
        for (n, coverage, dropped), rows in measured.items():
            ids = tuple(row.id for row in table.rows if row.id in rows and len(measured) > 1)
            lines.append(Sample(dataset, n, coverage, dict(dropped), ids))
    return tuple(lines)


def fill_table(table: Table, scores: Scores, published: Published) -> Table:
    """Return the table with all its cells: `scores` by file, `published` by (row id, column id).

    The value of a cell for one seed is the mean over its parts, and an average that over columns;
    shown are mean and sample standard deviation over seeds, in a column of deviations the latter
    alone. `UserError` for a score that is missing or there twice. Intervals are added by
    `intervals.add_intervals`.
    """
    cells: Cells = {}
    for row in table.rows:
        for column in table.score_columns:
            cell = table.cells[row.id, column.id]
            if cell.parts:
                cell = _measured(_with_scores(cell, scores, table.factor), column)
            cells[row.id, column.id] = cell
        if table.average:
            of_row = [cells[row.id, column.id] for column in table.score_columns]
            cells[row.id, AVERAGE] = _average(table, row, of_row, published)
        for column in table.value_columns:
            key = (row.id, column.id)
            cells[key] = _with_published(cells[key], published, column.digits)
    _compare_rows(cells, table)
    _add_changes(cells, table, published)
    _mark_best(cells, table)
    unplaced = tuple(
        Cell(table.id, *key, published=value, reasons=(NO_PLACE,))
        for key, value in published.items()
        if key not in cells
    )
    return replace(table, cells=cells, unplaced=unplaced)
