"""The scorecard: how the cells of all tables and figures stand to the paper's values.

Only published values count. A value that the paper prints in two tables counts in each.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workflow_scripts.errors import UserError
from workflow_scripts.tables.cells import INSIDE, NOT_COMPARABLE, NOT_RUN, OUTSIDE
from workflow_scripts.tables.tidy_cells import TidyCell

HEADER = (
    "table",
    "published",
    "compared",
    "inside",
    "outside",
    "not_comparable",
    "not_run",
    "not_comparable_reasons",
    "not_run_reasons",
)
TOTAL = "total"


@dataclass(frozen=True)
class Counts:
    """Published cells of a table by what became of them: `published` is the sum of the last four.

    `reasons` counts cells by status (not run, not comparable) and reason; one that ran may have
    several reasons for not being comparable.
    """

    inside: int
    outside: int
    not_comparable: int
    not_run: int
    reasons: Mapping[str, Mapping[str, int]]

    @property
    def compared(self) -> int:
        """Cells that ran with the paper's model, data and recipe."""
        return self.inside + self.outside

    @property
    def published(self) -> int:
        """Cells for which the paper prints a value."""
        return self.compared + self.not_comparable + self.not_run


@dataclass(frozen=True)
class Scorecard:
    """Counts by table, in the order of the files, and their sum; `outside` by falling difference.

    `unpublished` counts cells that were run and for which the paper prints no value.
    """

    tables: dict[str, Counts]
    total: Counts
    outside: tuple[TidyCell, ...]
    unpublished: int

    def tables_by_reason(self, status: str) -> dict[str, dict[str, int]]:
        """Return, most frequent reason first, the number of cells by table."""
        found: dict[str, dict[str, int]] = {}
        for table, counts in self.tables.items():
            for reason, count in counts.reasons[status].items():
                found.setdefault(reason, {})[table] = count
        return dict(sorted(found.items(), key=lambda item: -sum(item[1].values())))


def _count(cells: Sequence[TidyCell]) -> Counts:
    """Return the counts of cells that all have a published value."""
    statuses = Counter(cell.status for cell in cells)

    def reasons(status: str) -> dict[str, int]:
        counter = Counter(r for c in cells if c.status == status for r in dict.fromkeys(c.reasons))
        return dict(counter.most_common())

    return Counts(
        inside=statuses[INSIDE],
        outside=statuses[OUTSIDE],
        not_comparable=statuses[NOT_COMPARABLE],
        not_run=statuses[NOT_RUN],
        reasons={status: reasons(status) for status in (NOT_COMPARABLE, NOT_RUN)},
    )


def count_cells(files: Iterable[tuple[str, Sequence[TidyCell]]]) -> Scorecard:
    """Return the scorecard of the cells of (path, cells).

    Raises `UserError` where a cell stands in two files or twice in one: it would count twice.
    """
    places: dict[tuple[str, str, str], str] = {}
    by_table: dict[str, list[TidyCell]] = {}
    unpublished = 0
    for path, cells in files:
        for cell in cells:
            place = (cell.table, cell.row, cell.column)
            if place in places:
                raise UserError(
                    f"{path}: table `{cell.table}`, row `{cell.row}`, column `{cell.column}` is "
                    f"also in {places[place]}; give each table once"
                )
            places[place] = path
            of_table = by_table.setdefault(cell.table, [])
            if cell.published is not None:
                of_table.append(cell)
            elif cell.mean is not None:
                unpublished += 1
    everything = [cell for cells in by_table.values() for cell in cells]
    outside = [cell for cell in everything if cell.status == OUTSIDE]
    return Scorecard(
        tables={table: _count(cells) for table, cells in by_table.items() if cells},
        total=_count(everything),
        # the sort is stable: equal differences stay in the order of the tables
        outside=tuple(sorted(outside, key=lambda cell: -abs(cell.difference or 0))),
        unpublished=unpublished,
    )


def scorecard_tsv(scorecard: Scorecard) -> str:
    """Return one line for each table and one of totals; reasons are JSON objects of counts."""
    lines = [HEADER]
    for table, counts in [*scorecard.tables.items(), (TOTAL, scorecard.total)]:
        numbers = (getattr(counts, name) for name in HEADER[1:7])
        reasons = (
            json.dumps(counts.reasons[status], ensure_ascii=False, sort_keys=True)
            for status in (NOT_COMPARABLE, NOT_RUN)
        )
        lines.append((table, *map(str, numbers), *reasons))
    return "".join("\t".join(line) + "\n" for line in lines)
