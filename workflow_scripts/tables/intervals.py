"""Tables of scores read from files, with bootstrap intervals and paired comparisons of rows.

The replicates of a metric are its values on resamples of the items. Resamples are fixed by data set
and number of items, so those of two encoders are paired.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from workflow_scripts.errors import damaged_file_error
from workflow_scripts.scoring.bootstrap import paired_p_value, percentile_interval
from workflow_scripts.scoring.bootstrap_replicates import (
    REPLICATES,
    read_replicates,
    replicates_key,
)
from workflow_scripts.scoring.tidy_scores import Score, read_scores
from workflow_scripts.tables.blocks import AVERAGE, CHANGE, Cell, Table, details_path, score_files
from workflow_scripts.tables.cells import ShownCell, ShownTable, fill_table
from workflow_scripts.tables.published import read_published

Details = Mapping[str, Mapping[str, np.ndarray]]


def _replicates(cell: Cell, details: Details) -> np.ndarray | None:
    """Return the mean of the replicates over seeds and parts [resamples]; None if one has none.

    All parts have the same number of seeds, so one mean over all is that over parts of seed means.
    """
    parts = []
    for part in cell.parts:
        for scores in part.scores:
            key = replicates_key(part.dataset, part.metric)
            values = details[details_path(scores)].get(key)
            if values is None:
                return None
            parts.append(values)
    return np.mean(parts, axis=0)


def _all_replicates(table: ShownTable, details: Details) -> dict[tuple[str, str], np.ndarray]:
    replicates: dict[tuple[str, str], np.ndarray] = {}
    for row in table.block.rows:
        for name in (column.id for column in table.block.columns if column.shows_means):
            cell = row.cells[name]
            if cell.not_run is None and (values := _replicates(cell, details)) is not None:
                replicates[row.id, name] = table.block.factor * values
        of_row = [replicates[row.id, name] for name in row.cells if (row.id, name) in replicates]
        whole = table.block.average and table.cells[row.id, AVERAGE].mean is not None
        if whole and len(of_row) == len(row.cells):
            replicates[row.id, AVERAGE] = np.mean(of_row, axis=0)
    return replicates


def _with_intervals(cell: ShownCell, own: np.ndarray, other: np.ndarray | None) -> ShownCell:
    # a resample may have no rank correlation
    if not np.isnan(own).all():
        cell = replace(cell, interval=percentile_interval(own))
    if cell.against is None or other is None:
        return cell
    differences = own - other
    if np.isnan(differences).all():
        return cell
    interval, p_value = percentile_interval(differences), paired_p_value(differences)
    return replace(cell, against=cell.against._replace(interval=interval, p_value=p_value))


def _items(table: ShownTable, row: str, column: str) -> set[tuple[str, int]]:
    """Return what a cell is measured on: each data set with its number of items.

    Resamples of another set, or of another number of items, are no pairs.
    """
    columns = table.block.row(row).cells if column == AVERAGE else [column]
    scores = (score for name in columns for score in table.scores[row, name])
    return {(score.dataset, score.n) for score in scores}


def add_intervals(table: ShownTable, details: Details) -> ShownTable:
    """Return the table with the 95% intervals of its cells and of its differences between rows.

    `details` has the arrays of each details file by path; a cell of which a seed or a part lacks
    replicates has no interval.
    """
    replicates = _all_replicates(table, details)
    cells = dict(table.cells)
    for (row, column), own in replicates.items():
        cell = cells[row, column]
        other = None
        if cell.against is not None:
            other = replicates.get((cell.against.row, column))
            items = _items(table, row, column)
            if other is not None and items != _items(table, cell.against.row, column):
                other = None
        cells[row, column] = _with_intervals(cell, own, other)
    changed = table.block.change_of
    for row in [row.id for row in table.block.rows if (row.id, CHANGE) in cells]:
        if changed is not None and (against := cells[row, changed].against):
            cells[row, CHANGE] = replace(cells[row, CHANGE], interval=against.interval)
    return replace(table, cells=cells)


def _check_lengths(details: Details) -> None:
    """Raise `UserError` by its file for replicates on another number of resamples than the most."""
    shapes = [
        (path, values.shape)
        for path, arrays in details.items()
        for key, values in arrays.items()
        if key.startswith(REPLICATES)
    ]
    usual = Counter(shape for _, shape in shapes).most_common(1)
    for path, shape in shapes:
        with damaged_file_error(path):
            if shape != usual[0][0]:
                raise ValueError(f"replicates of shape {shape}, most others of {usual[0][0]}")


def _check_ends(scores: Mapping[str, Iterable[Score]], details: Details) -> None:
    """Raise `UserError` by its file for replicates that are not of the scores beside them."""
    for path, rows in scores.items():
        arrays = details[details_path(path)]
        for row in rows:
            values = arrays.get(replicates_key(row.dataset, row.metric))
            if values is None or row.low is None or row.high is None:
                continue
            with damaged_file_error(details_path(path)):
                low, high = percentile_interval(values)
                # scores are written with six decimals or digits
                if not np.allclose((low, high), (row.low, row.high), rtol=1e-5, atol=1e-6):
                    what = f"{row.dataset} {row.metric} from {low:g} to {high:g}"
                    raise ValueError(f"{what}, in {path} from {row.low:g} to {row.high:g}")


def read_table(
    table: Table, cells: Iterable[Mapping[str, Any]], reference: str | None
) -> ShownTable:
    """Return a table with the scores and replicates that `cells` of its block name."""
    published, files = read_published(reference), score_files(cells)
    scores = {path: read_scores(path) for path in files if path.endswith(".tsv")}
    details = {path: read_replicates(path) for path in files if path.endswith(".npz")}
    _check_lengths(details)
    _check_ends(scores, details)
    return add_intervals(fill_table(table, scores, published), details)
