"""Cells of a table: mean and deviation over seeds, averages, published values, best of a column."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.tidy_scores import Score
from workflow_scripts.tables.blocks import AVERAGE, Cell, Row, TableBlock

# Scores are shown with three digits after the point, as in the paper.
DIGITS = 3


def rounded(value: float | Decimal) -> Decimal:
    """Return a value to the digits that tables show; never a negative zero."""
    number = Decimal(f"{value:.{DIGITS}f}")
    return abs(number) if number.is_zero() else number


def mean_and_deviation(values: Iterable[float]) -> tuple[float, float | None]:
    """Return the mean and the sample standard deviation (n - 1); None for a single value."""
    values = list(values)
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return statistics.fmean(values), deviation


@dataclass(frozen=True)
class ShownCell:
    """What a cell shows: the own mean, or the reason why there is none, and the published value.

    `seeds` counts the runs behind the mean; `deviation` is their sample standard deviation, None
    for one run. `difference` is the mean as shown minus the published value, only where models and
    data are the paper's. `place` is 1 for the best of a column, 2 for the second best.
    """

    mean: float | None = None
    deviation: float | None = None
    seeds: int = 0
    not_run: str | None = None
    published: Decimal | None = None
    difference: Decimal | None = None
    place: int | None = None


@dataclass(frozen=True)
class Sample:
    """What scores of a dataset were measured on; `rows` are the ids of the rows that have it.

    `n` counts items, `coverage` is the share that could be answered, `dropped` counts what was left
    out by reason. `rows` is empty where all rows agree.
    """

    dataset: str
    n: int
    coverage: float
    dropped: dict[str, int]
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class ShownTable:
    """A table ready to be rendered: `cells` by (row id, column id), the average's id is `avg`."""

    block: TableBlock
    cells: dict[tuple[str, str], ShownCell]
    samples: tuple[Sample, ...]

    def ran(self, row: Row) -> bool:
        """Return whether any cell of a row has an own value."""
        return any(self.cells[row.id, name].mean is not None for name in self.block.column_ids)


def _scores_of_cell(
    cell: Cell, dataset: str, metric: str, scores: Mapping[str, Sequence[Score]]
) -> list[Score]:
    """Return the score of each seed, sorted by seed."""
    found = []
    for path in cell.scores:
        if path not in scores:
            raise UserError(f"{path}: named by the table but not given with --scores; add it there")
        matching = [s for s in scores[path] if (s.dataset, s.metric) == (dataset, metric)]
        if not matching:
            raise UserError(
                f"{path}: no row with dataset `{dataset}` and metric `{metric}`; "
                "score the encoder again, or mend the column of the table"
            )
        if len(matching) > 1:
            raise UserError(
                f"{path}: {len(matching)} rows with dataset `{dataset}` and metric `{metric}`; "
                "score the encoder again"
            )
        found.append((path, matching[0]))
    seen: dict[int, str] = {}
    for path, score in found:
        if score.seed in seen:
            raise UserError(
                f"{path}: seed {score.seed} of dataset `{dataset}` is also in {seen[score.seed]}; "
                "give each seed of a cell one file"
            )
        seen[score.seed] = path
    return sorted((score for _, score in found), key=lambda score: score.seed)


def _measured(values: Iterable[float]) -> ShownCell:
    values = list(values)
    mean, deviation = mean_and_deviation(values)
    return ShownCell(mean=mean, deviation=deviation, seeds=len(values))


def _average(row: Row, scores: Mapping[str, list[Score]]) -> ShownCell:
    """Return the average over the columns: per seed first, then mean and deviation over seeds.

    Only a whole row has one, and only if its columns have the same seeds.
    """
    reasons = {cell.not_run for cell in row.cells.values()}
    if None not in reasons and len(reasons) == 1:
        return ShownCell(not_run=reasons.pop())
    if len(scores) < len(row.cells):
        return ShownCell(not_run="averages are over whole rows only")
    by_column = [{score.seed: score.value for score in column} for column in scores.values()]
    seeds = by_column[0].keys()
    if any(column.keys() != seeds for column in by_column):
        return ShownCell(not_run="averages need the same seeds in all columns")
    return _measured(statistics.fmean(column[seed] for column in by_column) for seed in seeds)


def _with_published(cell: ShownCell, value: Decimal | None, comparable: bool) -> ShownCell:
    if value is None or cell.mean is None or not comparable:
        return replace(cell, published=value)
    # from the mean as shown, so that the three figures of a cell agree
    return replace(cell, published=value, difference=rounded(cell.mean) - value)


def _mark_best(cells: dict[tuple[str, str], ShownCell], block: TableBlock) -> None:
    """Mark the best and second best value of each column as shown; equal ones share a place."""
    for column in block.column_ids:
        values = {
            row.id: rounded(mean)
            for row in block.rows
            if (mean := cells[row.id, column].mean) is not None
        }
        if len(set(values.values())) < 2:  # nothing is better than anything else
            continue
        places = {v: n for n, v in enumerate(sorted(set(values.values()), reverse=True)[:2], 1)}
        for row, value in values.items():
            cells[row, column] = replace(cells[row, column], place=places.get(value))


def _samples(
    block: TableBlock, scores: Mapping[tuple[str, str], list[Score]]
) -> tuple[Sample, ...]:
    """Return what each dataset was measured on, in the order of the columns.

    Rows that differ get a line each; metrics and seeds that agree share one.
    """
    samples = []
    for dataset in dict.fromkeys(column.dataset for column in block.columns):
        found: dict[tuple[int, float, tuple[tuple[str, int], ...]], dict[str, None]] = {}
        for row in block.rows:
            for column in block.columns:
                if column.dataset != dataset:
                    continue
                for score in scores.get((row.id, column.id), []):
                    key = (score.n, score.coverage, tuple(sorted(score.dropped.items())))
                    found.setdefault(key, {})[row.id] = None
        for (n, coverage, dropped), rows in found.items():
            ids = tuple(rows) if len(found) > 1 else ()
            samples.append(Sample(dataset, n, coverage, dict(dropped), ids))
    return tuple(samples)


def fill_table(
    block: TableBlock,
    scores: Mapping[str, Sequence[Score]],
    published: Mapping[tuple[str, str], Decimal],
) -> ShownTable:
    """Return the table with all its cells: `scores` by file, `published` by (row id, column id).

    A cell's value is the mean over its score files, one for each seed, with the sample standard
    deviation. The average is taken over the columns for each seed first.

    Raises `UserError` naming the file where a score is missing or there twice, or where two files
    of a cell have the same seed.
    """
    cells: dict[tuple[str, str], ShownCell] = {}
    used: dict[tuple[str, str], list[Score]] = {}
    for row in block.rows:
        for column in block.columns:
            cell = row.cells[column.id]
            if cell.not_run is not None:
                cells[row.id, column.id] = ShownCell(not_run=cell.not_run)
                continue
            found = _scores_of_cell(cell, column.dataset, column.metric, scores)
            used[row.id, column.id] = found
            cells[row.id, column.id] = _measured(score.value for score in found)
        if block.average:
            of_row = {name: used[row.id, name] for name in row.cells if (row.id, name) in used}
            cells[row.id, AVERAGE] = _average(row, of_row)
        for name in block.column_ids:
            value = published.get((row.id, name))
            cells[row.id, name] = _with_published(cells[row.id, name], value, row.comparable)
    _mark_best(cells, block)
    return ShownTable(block, cells, _samples(block, used))
