"""Cells of a table: mean and deviation over seeds, averages, published values, best of a column."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.tidy_scores import Score
from workflow_scripts.tables.blocks import AVERAGE, CHANGE, Cell, Part, Row, TableBlock
from workflow_scripts.tables.numbers import rounded

INSIDE = "inside"
OUTSIDE = "outside"
NOT_COMPARABLE = "not-comparable"
NOT_RUN = "not-run"
NO_PUBLISHED = "no-published"

# The level below which the difference of two rows is marked.
SIGNIFICANT = 0.05


def mean_and_deviation(values: Iterable[float]) -> tuple[float, float | None]:
    """Return the mean and the sample standard deviation (n - 1); None for a single value."""
    values = list(values)
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return statistics.fmean(values), deviation


@dataclass(frozen=True)
class Against:
    """The difference of a cell to the same column of another row.

    `difference` is that of the means as shown; `interval` and the two-sided `p_value` come from the
    paired bootstrap and are None where a cell has no replicates.
    """

    row: str
    difference: Decimal
    interval: tuple[float, float] | None = None
    p_value: float | None = None


@dataclass(frozen=True)
class ShownCell:
    """What a cell shows: the own mean, or the reason why there is none, and the published value.

    `seeds` counts the runs behind the mean; `deviation` is their sample standard deviation, None
    for one run; `interval` is the 95% bootstrap interval, None without replicates. `difference` is
    the mean as shown minus the published value, only where there are no `departures` from the
    paper. `place` is 1 for the best of a column, 2 for the second best.
    """

    mean: float | None = None
    deviation: float | None = None
    interval: tuple[float, float] | None = None
    seeds: int = 0
    not_run: str | None = None
    departures: tuple[str, ...] = ()
    tolerance: Decimal | None = None
    published: Decimal | None = None
    difference: Decimal | None = None
    against: Against | None = None
    place: int | None = None

    @property
    def status(self) -> str:
        """How the cell stands to the published value: one of the five constants above."""
        if self.mean is None:
            return NOT_RUN
        if self.published is None:
            return NO_PUBLISHED
        if self.difference is None:
            return NOT_COMPARABLE
        assert self.tolerance is not None  # a cell that ran has one
        return INSIDE if abs(self.difference) <= self.tolerance else OUTSIDE


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
    """A table ready to be rendered: `cells` by (row id, column id), the average's id is `avg`.

    `unplaced` holds the published values for which the table has no row or no column.
    """

    block: TableBlock
    cells: dict[tuple[str, str], ShownCell]
    samples: tuple[Sample, ...]
    unplaced: dict[tuple[str, str], Decimal] = field(default_factory=dict)

    def cells_of(self, row: Row) -> list[ShownCell]:
        """Return the cells of a row in the order of the columns."""
        return [self.cells[row.id, column.id] for column in self.block.shown_columns]


def _scores_of_part(part: Part, scores: Mapping[str, Sequence[Score]]) -> list[Score]:
    """Return the score of each seed, sorted by seed."""
    found: dict[int, tuple[str, Score]] = {}
    wanted = f"dataset `{part.dataset}` and metric `{part.metric}`"
    for path in part.scores:
        if path not in scores:
            raise UserError(f"{path}: named by the table but not given with --scores; add it there")
        matching = [s for s in scores[path] if (s.dataset, s.metric) == (part.dataset, part.metric)]
        if not matching:
            raise UserError(
                f"{path}: no row with {wanted}; "
                "score the encoder again, or mend the column of the table"
            )
        if len(matching) > 1:
            raise UserError(f"{path}: {len(matching)} rows with {wanted}; score the encoder again")
        score = matching[0]
        if score.seed in found:
            raise UserError(
                f"{path}: seed {score.seed} of dataset `{part.dataset}` is also in "
                f"{found[score.seed][0]}; give each seed of a cell one file"
            )
        found[score.seed] = path, score
    return [found[seed][1] for seed in sorted(found)]


def _measured(values: Iterable[float]) -> ShownCell:
    values = list(values)
    mean, deviation = mean_and_deviation(values)
    return ShownCell(mean=mean, deviation=deviation, seeds=len(values))


def _values_by_seed(
    cell: Cell, scores: Mapping[str, Sequence[Score]], where: str
) -> tuple[dict[int, float], list[Score]]:
    """Return the mean over the parts of a cell for each seed, and the scores that it is made of."""
    parts = [_scores_of_part(part, scores) for part in cell.parts]
    by_seed = [{score.seed: score.value for score in part} for part in parts]
    for part, values in zip(cell.parts, by_seed, strict=True):
        if values.keys() != by_seed[0].keys():
            raise UserError(
                f"{where}: dataset `{part.dataset}` has seeds {sorted(values)}, dataset "
                f"`{cell.parts[0].dataset}` {sorted(by_seed[0])}; score all with the same seeds"
            )
    means = {seed: statistics.fmean(part[seed] for part in by_seed) for seed in by_seed[0]}
    return means, [score for part in parts for score in part]


def _average(row: Row, values: Mapping[str, Mapping[int, float]]) -> ShownCell:
    """Return the average over the columns: per seed first, then mean and deviation over seeds.

    Only a whole row has one, and only if its columns have the same seeds. It departs from the paper
    in all that its columns do; its tolerance is the mean of theirs.
    """
    reasons = {cell.not_run for cell in row.cells.values()}
    if None not in reasons and len(reasons) == 1:
        return ShownCell(not_run=reasons.pop())
    if len(values) < len(row.cells):
        return ShownCell(not_run="averages are over whole rows only")
    by_column = list(values.values())
    seeds = by_column[0].keys()
    if any(column.keys() != seeds for column in by_column):
        return ShownCell(not_run="averages need the same seeds in all columns")
    cell = _measured(statistics.fmean(column[seed] for column in by_column) for seed in seeds)
    cells = row.cells.values()
    tolerances = [cell.tolerance for cell in cells if cell.tolerance is not None]
    return replace(
        cell,
        departures=tuple(dict.fromkeys(reason for cell in cells for reason in cell.departures)),
        tolerance=sum(tolerances, Decimal(0)) / len(tolerances),
    )


def _with_published(cell: ShownCell, value: Decimal | None, digits: int) -> ShownCell:
    if value is None or cell.mean is None or cell.departures:
        return replace(cell, published=value)
    # from the mean as shown, so that the three figures of a cell agree
    return replace(cell, published=value, difference=rounded(cell.mean, digits) - value)


def _compare_rows(cells: dict[tuple[str, str], ShownCell], block: TableBlock) -> None:
    """Take the difference of each row to the row that it stands against, from means as shown."""
    for row in block.rows:
        if row.against is None:
            continue
        for column in block.value_columns:
            cell = cells[row.id, column.id]
            other = cells[row.against, column.id].mean
            if cell.mean is None or other is None:
                continue
            difference = rounded(cell.mean, column.digits) - rounded(other, column.digits)
            against = Against(row.against, difference)
            cells[row.id, column.id] = replace(cell, against=against)


def _add_changes(
    cells: dict[tuple[str, str], ShownCell],
    block: TableBlock,
    published: Mapping[tuple[str, str], Decimal],
) -> None:
    """Fill the column of changes: the differences between rows in the column `change_of`."""
    if block.change_of is None:
        return
    column = block.shown_columns[-1]
    for row in block.rows:
        cell = cells[row.id, block.change_of]
        value = published.get((row.id, CHANGE))
        if cell.against is None:
            reason = cell.not_run or "the row that others are compared with"
            if row.against is not None:
                reason = "the row that it is compared with, or itself, was not run"
            cells[row.id, CHANGE] = ShownCell(not_run=reason, published=value)
            continue
        other = cells[row.against, block.change_of]
        change = ShownCell(
            mean=float(cell.against.difference),
            seeds=cell.seeds,
            departures=tuple(dict.fromkeys([*cell.departures, *other.departures])),
            tolerance=cell.tolerance,
        )
        cells[row.id, CHANGE] = _with_published(change, value, column.digits)


def _mark_best(cells: dict[tuple[str, str], ShownCell], block: TableBlock) -> None:
    """Mark the best and second best value of each column as shown; equal ones share a place."""
    for column in block.value_columns:
        values = {
            row.id: rounded(mean, column.digits)
            for row in block.rows
            if (mean := cells[row.id, column.id].mean) is not None
        }
        if len(set(values.values())) < 2:  # nothing is better than anything else
            continue
        order = sorted(set(values.values()), reverse=not column.lower_is_better)
        places = {value: place for place, value in enumerate(order[:2], start=1)}
        for row, value in values.items():
            cell = cells[row, column.id]
            cells[row, column.id] = replace(cell, place=places.get(value))


def _samples(
    block: TableBlock, scores: Mapping[tuple[str, str], list[Score]]
) -> tuple[Sample, ...]:
    """Return what each dataset was measured on, in the order of the columns.

    Rows that differ get a line each; metrics and seeds that agree share one.
    """
    found: dict[str, dict[tuple[int, float, tuple[tuple[str, int], ...]], dict[str, None]]] = {}
    for column in block.columns:
        for row in block.rows:
            for score in scores.get((row.id, column.id), []):
                key = (score.n, score.coverage, tuple(sorted(score.dropped.items())))
                found.setdefault(score.dataset, {}).setdefault(key, {})[row.id] = None
    order = {row.id: number for number, row in enumerate(block.rows)}
    samples = []
    for dataset, measured in found.items():
        for (n, coverage, dropped), rows in measured.items():
            ids = tuple(sorted(rows, key=order.__getitem__)) if len(measured) > 1 else ()
            samples.append(Sample(dataset, n, coverage, dict(dropped), ids))
    return tuple(samples)


def fill_table(
    block: TableBlock,
    scores: Mapping[str, Sequence[Score]],
    published: Mapping[tuple[str, str], Decimal],
) -> ShownTable:
    """Return the table with all its cells: `scores` by file, `published` by (row id, column id).

    The value of a cell for one seed is the mean over its parts; the cell shows the mean over seeds
    with the sample standard deviation. The average is taken over the columns for each seed first.
    Intervals are added by `intervals.add_intervals`.

    Raises `UserError` naming the file where a score is missing or there twice, where two files of a
    part have the same seed, and where parts of a cell have other seeds.
    """
    cells: dict[tuple[str, str], ShownCell] = {}
    used: dict[tuple[str, str], list[Score]] = {}
    for row in block.rows:
        values: dict[str, dict[int, float]] = {}
        for column in block.columns:
            cell = row.cells[column.id]
            if cell.not_run is not None:
                cells[row.id, column.id] = ShownCell(not_run=cell.not_run)
                continue
            where = f"table `{block.id}`, row `{row.id}`, column `{column.id}`"
            values[column.id], used[row.id, column.id] = _values_by_seed(cell, scores, where)
            cells[row.id, column.id] = replace(
                _measured(values[column.id].values()),
                departures=cell.departures,
                tolerance=cell.tolerance,
            )
        if block.average:
            cells[row.id, AVERAGE] = _average(row, values)
        for column in block.value_columns:
            value = published.get((row.id, column.id))
            cell = cells[row.id, column.id]
            cells[row.id, column.id] = _with_published(cell, value, column.digits)
    _compare_rows(cells, block)
    _add_changes(cells, block, published)
    _mark_best(cells, block)
    unplaced = {place: value for place, value in published.items() if place not in cells}
    return ShownTable(block, cells, _samples(block, used), unplaced)
