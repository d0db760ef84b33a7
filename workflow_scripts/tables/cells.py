"""Cells of a table: mean and deviation over seeds, averages, published values, best of a column."""

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import chain
from typing import Any, NamedTuple

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.tidy_scores import Score
from workflow_scripts.tables.blocks import AVERAGE, CHANGE, Cell, Part, Row, Table
from workflow_scripts.tables.numbers import rounded

# how a cell stands to the published value
INSIDE, OUTSIDE, NOT_COMPARABLE = "inside", "outside", "not-comparable"
NOT_RUN, NO_PUBLISHED = "not-run", "no-published"
# the level below which the difference of two rows is marked
SIGNIFICANT = 0.05

Place = tuple[str, str]  # a row's id and a column's
Published = Mapping[Place, Decimal]
Scores = Mapping[str, Sequence[Score]]  # by file


def mean_and_deviation(values: Iterable[float]) -> tuple[float, float | None]:
    """Return the mean and the sample standard deviation (n - 1); None for a single value."""
    values = list(values)
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return statistics.fmean(values), deviation


class Against(NamedTuple):
    """The difference to the same column of another row, of means as shown.

    `interval` and two-sided `p_value` are of the paired bootstrap, None without replicates.
    """

    row: str
    difference: Decimal
    interval: tuple[float, float] | None = None
    p_value: float | None = None


@dataclass(frozen=True)
class ShownCell:
    """What a cell shows: the own mean, or the reason why there is none, and the published value.

    `deviation` is the sample standard deviation over `seeds`, None for one; `interval` the 95%
    bootstrap interval, None without replicates; `difference` the mean as shown minus the published
    value, only without `differences_from_paper`, and under the `assumptions`; `rank` 1 for the
    best of a column, then 2.
    """

    mean: float | None = None
    deviation: float | None = None
    interval: tuple[float, float] | None = None
    seeds: int = 0
    not_run: str | None = None
    differences_from_paper: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    tolerance: Decimal | None = None
    published: Decimal | None = None
    difference: Decimal | None = None
    against: Against | None = None
    rank: int | None = None

    @property
    def status(self) -> str:
        """How the cell stands to the published value: one of the constants above."""
        if self.mean is None:
            return NOT_RUN
        if self.published is None:
            return NO_PUBLISHED
        if self.difference is None:
            return NOT_COMPARABLE
        assert self.tolerance is not None
        return INSIDE if abs(self.difference) <= self.tolerance else OUTSIDE

    @property
    def is_compared(self) -> bool:
        return self.status in (INSIDE, OUTSIDE)


class Sample(NamedTuple):
    """Items, share of them answered and left out by reason; `rows` that have it unless all do."""

    dataset: str
    n: int
    coverage: float
    dropped: dict[str, int]
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class ShownTable:
    """A table ready to be rendered; `unplaced` has published values without a row or a column.

    `scores` has those that a cell is the mean of, one for each data set and seed.
    """

    block: Table
    cells: dict[Place, ShownCell]
    samples: tuple[Sample, ...]
    unplaced: dict[Place, Decimal] = field(default_factory=dict)
    scores: dict[Place, list[Score]] = field(default_factory=dict)

    def cells_of(self, row: Row) -> list[ShownCell]:
        return [self.cells[row.id, column.id] for column in self.block.shown_columns]


def _scores_of_part(part: Part, scores: Scores) -> list[Score]:
    scores_of_seeds: list[Score] = []
    for path in part.scores:
        matching = [s for s in scores[path] if (s.dataset, s.metric) == (part.dataset, part.metric)]
        if len(matching) != 1:
            raise UserError(
                path,
                f"{len(matching) or 'no'} rows with dataset `{part.dataset}` and metric "
                f"`{part.metric}`",
                "score the encoder again, or fix the column of the table",
            )
        for path_before, before in zip(part.scores, scores_of_seeds, strict=False):
            _require_another_seed(path, matching[0], path_before, before)
        scores_of_seeds += matching
    return sorted(scores_of_seeds, key=lambda score: score.seed)


def _require_another_seed(path: str, score: Score, other_path: str, other: Score) -> None:
    own, others = (
        (measured.model, measured.recipe, measured.corpus) for measured in (score, other)
    )
    if own != others:
        what = f"scores of {'/'.join(own)}, but {other_path} has those of {'/'.join(others)}"
    elif score.seed == other.seed:
        what = f"seed {score.seed}, as {other_path} has"
    else:
        return
    raise UserError(path, what, "score the encoder again")


def _measured(values: Iterable[float], **others: Any) -> ShownCell:
    values = list(values)
    return ShownCell(*mean_and_deviation(values), seeds=len(values), **others)


def _spread(values: Iterable[float], **others: Any) -> ShownCell:
    """Return the cell of a column of deviations: that over seeds is its value."""
    values = list(values)
    deviation = mean_and_deviation(values)[1]
    if deviation is None:
        return ShownCell(not_run="a single seed has no deviation")
    return ShownCell(deviation, seeds=len(values), **others)


def _values_by_seed(
    cell: Cell, scores: Scores, factor: int
) -> tuple[dict[int, float], list[Score]]:
    """Return the mean over the parts of a cell by seed as shown, and the scores it is made of."""
    parts = [_scores_of_part(part, scores) for part in cell.parts]
    seeds = [", ".join(str(score.seed) for score in part) for part in parts]
    for part, own in zip(cell.parts, seeds, strict=True):
        if own != seeds[0]:
            raise UserError(
                None,
                f"{part.dataset} is of seeds {own}, but {cell.parts[0].dataset} of {seeds[0]}: "
                "a cell is the mean over both, seed by seed",
                "score the encoders again",
            )
    by_seed = [{score.seed: score.value for score in part} for part in parts]
    means = {
        seed: factor * statistics.fmean(values[seed] for values in by_seed) for seed in by_seed[0]
    }
    return means, [score for part in parts for score in part]


def _average(row: Row, values: Mapping[str, Mapping[int, float]]) -> ShownCell:
    """Return the average over the columns of a whole row: per seed first, then over seeds.

    It departs from the paper in all that its columns do; its tolerance is the mean of theirs.
    """
    cells = row.cells.values()
    reasons = {cell.not_run for cell in cells}
    if None not in reasons and len(reasons) == 1:
        return ShownCell(not_run=reasons.pop())
    if len(values) < len(row.cells):
        return ShownCell(not_run="averages are over whole rows only")
    by_column = list(values.values())
    seeds = by_column[0].keys()
    if any(column.keys() != seeds for column in by_column):
        return ShownCell(not_run="averages need the same seeds in all columns")
    differences, assumptions = _told(cells)
    return _measured(
        (statistics.fmean(column[seed] for column in by_column) for seed in seeds),
        differences_from_paper=differences,
        assumptions=assumptions,
        tolerance=_mean_tolerance(cells),
    )


def _mean_tolerance(cells: Collection[Cell]) -> Decimal:
    tolerances = [cell.tolerance for cell in cells if cell.tolerance is not None]
    assert len(tolerances) == len(cells)
    return sum(tolerances, Decimal(0)) / len(tolerances)


def _told(cells: Collection[Cell | ShownCell]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the differences from the paper and the assumptions of all `cells`, each once."""
    differences = chain.from_iterable(cell.differences_from_paper for cell in cells)
    assumptions = chain.from_iterable(cell.assumptions for cell in cells)
    return tuple(dict.fromkeys(differences)), tuple(dict.fromkeys(assumptions))


def _of_paper(average: ShownCell, row: Row, published: Published) -> ShownCell:
    """Return the average of a row; where it is over other columns than the paper's, it departs."""
    printed = {column for name, column in published if name == row.id} - {AVERAGE, CHANGE}
    reasons = []
    if lacking := len(printed - row.cells.keys()):
        reasons = [f"the average lacks {lacking} of the paper's {len(printed)} columns"]
    # of a column that the paper prints for other rows a value may have been left out
    elif printed and (more := row.cells.keys() - {column for _, column in published}):
        reasons = [f"the average has columns beside the paper's: {', '.join(sorted(more))}"]
    return replace(average, differences_from_paper=(*average.differences_from_paper, *reasons))


def _with_published(cell: ShownCell, value: Decimal | None, digits: int) -> ShownCell:
    if value is None or cell.mean is None or cell.differences_from_paper:
        return replace(cell, published=value)
    # from the mean as shown, so that the three figures of a cell agree
    return replace(cell, published=value, difference=rounded(cell.mean, digits) - value)


def _compare_rows(cells: dict[Place, ShownCell], block: Table) -> None:
    for row in block.rows:
        if row.against is None:
            continue
        for column in block.mean_columns:
            cell, other = cells[row.id, column.id], cells[row.against, column.id]
            if cell.mean is not None and other.mean is not None:
                change = rounded(cell.mean, column.digits) - rounded(other.mean, column.digits)
                against = Against(row.against, change)
                cells[row.id, column.id] = replace(cell, against=against)


def _add_changes(cells: dict[Place, ShownCell], block: Table, published: Published) -> None:
    """Fill the column of changes: the differences between rows in the column `change_of`."""
    if block.change_of is None:
        return
    column = block.shown_columns[-1]
    for row in block.rows:
        cell = cells[row.id, block.change_of]
        value = published.get((row.id, CHANGE))
        if cell.against is None or row.against is None:
            reason = cell.not_run or "the row that others are compared with"
            if row.against is not None:
                reason = "the row that it is compared with, or itself, was not run"
            cells[row.id, CHANGE] = ShownCell(not_run=reason, published=value)
            continue
        other = cells[row.against, block.change_of]
        differences, assumptions = _told([cell, other])
        change = ShownCell(
            float(cell.against.difference),
            seeds=cell.seeds,
            tolerance=cell.tolerance,
            differences_from_paper=differences,
            assumptions=assumptions,
        )
        cells[row.id, CHANGE] = _with_published(change, value, column.digits)


def _mark_best(cells: dict[Place, ShownCell], block: Table) -> None:
    for column in block.mean_columns:
        values = {
            row.id: rounded(mean, column.digits)
            for row in block.rows
            if (mean := cells[row.id, column.id].mean) is not None
        }
        if len(set(values.values())) < 2:  # nothing is better than anything else
            continue
        order = sorted(set(values.values()), reverse=not column.lower_is_better)
        ranks = {value: rank for rank, value in enumerate(order[:2], start=1)}
        for row, value in values.items():
            cell = cells[row, column.id]
            cells[row, column.id] = replace(cell, rank=ranks.get(value))


def _samples(block: Table, scores: Mapping[Place, list[Score]]) -> tuple[Sample, ...]:
    """Return what each dataset was measured on; what agrees over rows and metrics shares a line."""
    measured_on: dict[str, dict[Any, set[str]]] = {}
    for column in block.columns:
        for row in block.rows:
            for score in scores.get((row.id, column.id), []):
                key = (score.n, score.coverage, tuple(sorted(score.dropped.items())))
                measured_on.setdefault(score.dataset, {}).setdefault(key, set()).add(row.id)
    samples = []
    for dataset, measured in measured_on.items():
        for (n, coverage, dropped), rows in measured.items():
            ids = tuple(row.id for row in block.rows if row.id in rows and len(measured) > 1)
            samples.append(Sample(dataset, n, coverage, dict(dropped), ids))
    return tuple(samples)


def fill_table(block: Table, scores: Scores, published: Published) -> ShownTable:
    """Return the table with all its cells: `scores` by file, `published` by (row id, column id).

    The value of a cell for one seed is the mean over its parts, and an average that over columns;
    shown are mean and sample standard deviation over seeds, in a column of deviations the latter
    alone. `UserError` for a score that is missing or there twice. Intervals are added by
    `intervals.add_intervals`.
    """
    cells: dict[Place, ShownCell] = {}
    used: dict[Place, list[Score]] = {}
    for row in block.rows:
        values: dict[str, dict[int, float]] = {}
        for column in block.columns:
            cell = row.cells[column.id]
            if cell.not_run is not None:
                cells[row.id, column.id] = ShownCell(not_run=cell.not_run)
                continue
            filled = _values_by_seed(cell, scores, block.factor)
            values[column.id], used[row.id, column.id] = filled
            show = _measured if column.shows_means else _spread
            cells[row.id, column.id] = show(
                values[column.id].values(),
                differences_from_paper=tuple(dict.fromkeys(cell.differences_from_paper)),
                assumptions=tuple(dict.fromkeys(cell.assumptions)),
                tolerance=cell.tolerance,
            )
        if block.average:
            cells[row.id, AVERAGE] = _of_paper(_average(row, values), row, published)
        for column in block.value_columns:
            key = (row.id, column.id)
            cells[key] = _with_published(cells[key], published.get(key), column.digits)
    _compare_rows(cells, block)
    _add_changes(cells, block, published)
    _mark_best(cells, block)
    unplaced = {key: value for key, value in published.items() if key not in cells}
    return ShownTable(block, cells, _samples(block, used), unplaced, used)
