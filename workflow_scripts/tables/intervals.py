"""Bootstrap intervals of the cells of a table, and paired comparisons of its rows.

The replicates of a metric are its values on resamples of the items. Resamples are fixed by data set
and number of items, so those of two encoders are paired.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.bootstrap import paired_p_value, percentile_interval
from workflow_scripts.scoring.details import replicates_key
from workflow_scripts.tables.blocks import AVERAGE, CHANGE, Cell
from workflow_scripts.tables.cells import ShownCell, ShownTable

Details = Mapping[str, Mapping[str, np.ndarray]]


def details_path(scores: str) -> str:
    """Return the details file that stands beside a file of scores."""
    return str(Path(scores).with_suffix(".npz"))


def _replicates(cell: Cell, details: Details) -> np.ndarray | None:
    """Return the replicates of a cell [resamples]: the mean over its seeds and parts.

    None where a seed or a part has none. All parts of a cell have the same number of seeds, so one
    mean over all is the mean over parts of the means over seeds.
    """
    found: dict[str, np.ndarray] = {}
    for part in cell.parts:
        for scores in part.scores:
            path = details_path(scores)
            values = details.get(path, {}).get(replicates_key(part.dataset, part.metric))
            if values is None:
                return None
            found[f"{path}, dataset `{part.dataset}`"] = values
    first = next(iter(found))
    for place, values in found.items():
        if values.shape != found[first].shape:
            raise UserError(
                f"{place}: {values.size} replicates, but {found[first].size} in {first}; "
                "score both encoders again"
            )
    return np.mean(list(found.values()), axis=0)


def _all_replicates(table: ShownTable, details: Details) -> dict[tuple[str, str], np.ndarray]:
    """Return the replicates of each cell that has them, averages included."""
    found: dict[tuple[str, str], np.ndarray] = {}
    for row in table.block.rows:
        for name, cell in row.cells.items():
            if cell.not_run is None and (values := _replicates(cell, details)) is not None:
                found[row.id, name] = values
        of_row = [found[row.id, name] for name in row.cells if (row.id, name) in found]
        whole = table.block.average and table.cells[row.id, AVERAGE].mean is not None
        if whole and len(of_row) == len(row.cells):
            found[row.id, AVERAGE] = np.mean(of_row, axis=0)
    return found


def _with_intervals(cell: ShownCell, own: np.ndarray, other: np.ndarray | None) -> ShownCell:
    """Return a cell with its interval and, given the replicates of the other row, the paired one.

    Replicates that are not a number are left out: a resample may have no rank correlation.
    """
    numbers = own[~np.isnan(own)]
    if numbers.size:
        cell = replace(cell, interval=percentile_interval(numbers))
    if cell.against is None or other is None:
        return cell
    differences = own - other
    differences = differences[~np.isnan(differences)]
    if not differences.size:
        return cell
    against = replace(
        cell.against,
        interval=percentile_interval(differences),
        p_value=paired_p_value(differences),
    )
    return replace(cell, against=against)


def add_intervals(table: ShownTable, details: Details) -> ShownTable:
    """Return the table with the 95% intervals of its cells and of its differences between rows.

    `details` holds the arrays of each details file by its path; a cell without replicates for one
    of its seeds or parts has no interval. Raises `UserError` where two files hold different numbers
    of replicates.
    """
    replicates = _all_replicates(table, details)
    cells = dict(table.cells)
    for (row, column), own in replicates.items():
        cell = cells[row, column]
        other = replicates.get((cell.against.row, column)) if cell.against else None
        if other is not None and other.shape != own.shape:
            raise UserError(
                f"table `{table.block.id}`, column `{column}`: rows `{row}` and "
                f"`{cell.against.row}` have {own.size} and {other.size} replicates; "
                "score both encoders again"
            )
        cells[row, column] = _with_intervals(cell, own, other)
    for row in [row.id for row in table.block.rows if (row.id, CHANGE) in cells]:
        against = cells[row, table.block.change_of].against
        if against is not None:
            cells[row, CHANGE] = replace(cells[row, CHANGE], interval=against.interval)
    return replace(table, cells=cells)
