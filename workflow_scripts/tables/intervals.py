"""Tables of scores read from files, with bootstrap intervals and paired comparisons of rows.

The replicates of a metric are its values on resamples of the items. Resamples are fixed by data set
and number of items, so those of two encoders are paired.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from workflow_scripts.errors import damaged_file_error
from workflow_scripts.scoring.bootstrap import RESAMPLES, paired_p_value, percentile_interval
from workflow_scripts.scoring.bootstrap_replicates import read_replicates, replicates_key
from workflow_scripts.scoring.tidy_scores import Score, read_scores
from workflow_scripts.tables.cells import Cell
from workflow_scripts.tables.filling import fill_table
from workflow_scripts.tables.published import read_published
from workflow_scripts.tables.table import AVERAGE, CHANGE, Table, details_path

Details = Mapping[str, Mapping[str, np.ndarray]]


def _replicates(cell: Cell, details: Details) -> np.ndarray | None:
    """Return the mean of the replicates over seeds and parts [resamples]; None if one has none.

    All parts have the same number of seeds, so one mean over all is that over parts of seed means.
    """
    values = [
        details[details_path(path)].get(replicates_key(part.dataset, part.metric))
        for part in cell.parts
        for path in part.scores
    ]
    known = [array for array in values if array is not None]
    return np.mean(known, axis=0) if len(known) == len(values) else None


def _all_replicates(table: Table, details: Details) -> dict[tuple[str, str], np.ndarray]:
    replicates: dict[tuple[str, str], np.ndarray] = {}
    for row in table.rows:
        for column in table.score_columns:
            cell = table.cells[row.id, column.id]
            values = _replicates(cell, details) if cell.mean is not None else None
            if column.shows_means and values is not None:
                replicates[row.id, column.id] = table.factor * values
        keys = [(row.id, column.id) for column in table.score_columns]
        of_row = [replicates[key] for key in keys if key in replicates]
        whole = table.average and table.cells[row.id, AVERAGE].mean is not None
        if whole and len(of_row) == len(keys):
            replicates[row.id, AVERAGE] = np.mean(of_row, axis=0)
    return replicates


def _with_intervals(cell: Cell, own: np.ndarray, other: np.ndarray | None) -> Cell:
    # a resample may have no rank correlation
    if not np.isnan(own).all():
        low, high = percentile_interval(own)
        cell = replace(cell, low=low, high=high)
    if other is None or np.isnan(differences := own - other).all():
        return cell
    low, high = percentile_interval(differences)
    p_value = paired_p_value(differences)
    return replace(cell, against_low=low, against_high=high, p_value=p_value)


def _items(cell: Cell) -> set[tuple[str, int]]:
    """Return what a cell is measured on: each data set with its number of items.

    Resamples of another set, or of another number of items, do not pair up.
    """
    return {(score.dataset, score.n) for score in cell.scores}


def add_intervals(table: Table, details: Details) -> Table:
    """Return the table with the 95% intervals of its cells and of its differences between rows.

    `details` has the arrays of each details file by path; a cell of which a seed or a part lacks
    replicates has no interval.
    """
    replicates = _all_replicates(table, details)
    cells = dict(table.cells)
    for (row, column), own in replicates.items():
        cell, other = cells[row, column], None
        if cell.against and _items(cell) == _items(cells[cell.against, column]):
            other = replicates.get((cell.against, column))
        cells[row, column] = _with_intervals(cell, own, other)
    if table.change_of is not None:
        for name in (row.id for row in table.rows):
            of_column = cells[name, table.change_of]
            low, high = of_column.against_low, of_column.against_high
            cells[name, CHANGE] = replace(cells[name, CHANGE], low=low, high=high)
    return replace(table, cells=cells)


def _check_replicates(path: str, scores: Iterable[Score], arrays: Mapping[str, np.ndarray]) -> None:
    """Raise `UserError` by its file for replicates that are not of the scores next to them."""
    with damaged_file_error(path):
        for score in scores:
            values = arrays.get(replicates_key(score.dataset, score.metric))
            if values is None:
                continue
            what = f"{score.dataset} {score.metric}"
            if values.shape != (RESAMPLES,):
                raise ValueError(f"{what} of shape {values.shape}, not {(RESAMPLES,)}")
            if score.low is None or score.high is None:
                continue
            low, high = percentile_interval(values)
            # scores are written with six decimals or digits
            if not np.allclose((low, high), (score.low, score.high), rtol=1e-5, atol=1e-6):
                ends = f"{low:g} to {high:g}, in the scores from {score.low:g} to {score.high:g}"
                raise ValueError(f"{what} from {ends}")


def read_table(table: Table, reference: str | None) -> Table:
    """Return a table with the scores and replicates that its cells name."""
    published = read_published(reference)
    parts = [part for cell in table.cells.values() for part in cell.parts]
    paths = sorted({path for part in parts for path in part.scores})
    scores = {path: read_scores(path) for path in paths}
    details = {name: read_replicates(name) for name in map(details_path, paths)}
    for path in paths:
        _check_replicates(details_path(path), scores[path], details[details_path(path)])
    return add_intervals(fill_table(table, scores, published), details)
