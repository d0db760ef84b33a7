"""The plain lines around a table of scores: what may be compared, what its marks mean, and why."""

from collections.abc import Iterator
from itertools import groupby

from workflow_scripts.tables.blocks import Row
from workflow_scripts.tables.cells import (
    INSIDE,
    NOT_COMPARABLE,
    OUTSIDE,
    SIGNIFICANT,
    Sample,
    ShownCell,
    ShownTable,
)
from workflow_scripts.tables.markdown import one_line
from workflow_scripts.tables.numbers import format_number, format_tolerance

OUTSIDE_MARK = "!"
SIGNIFICANT_MARK = "*"


def families(table: ShownTable) -> Iterator[list[Row]]:
    """Yield the rows of each group; neighbours without a group stand together."""
    for _, rows in groupby(table.block.rows, key=lambda row: row.group):
        yield list(rows)


def arrow(cell: ShownCell, digits: int) -> tuple[str, str, str]:
    """Return the difference to another row as sign (↑, ↓ or =), amount and mark of significance.

    All are empty where there is none.
    """
    if cell.against is None:
        return "", "", ""
    difference = cell.against.difference
    sign = "↑" if difference > 0 else "↓" if difference < 0 else "="
    p_value = cell.against.p_value
    is_marked = p_value is not None and p_value < SIGNIFICANT
    return sign, format_number(abs(difference), digits), SIGNIFICANT_MARK if is_marked else ""


class Reasons:
    """Numbers for the reasons why cells are empty, in the order in which they first occur."""

    def __init__(self, table: ShownTable) -> None:
        cells = (cell for row in table.block.rows for cell in table.cells_of(row))
        found = dict.fromkeys(one_line(c.not_run) for c in cells if c.not_run is not None)
        self.texts = list(found)

    def __getitem__(self, reason: str) -> int:
        return self.texts.index(one_line(reason)) + 1


def has_published(table: ShownTable) -> bool:
    """Return whether a value of the paper stands in the table."""
    return any(cell.published is not None for cell in table.cells.values())


def data_lines(data_note: str) -> list[str]:
    """Return the line that names the data, if there is anything to say."""
    return [f"Data: {data_note.rstrip('.')}."] if data_note else []


def _with_status(table: ShownTable, *statuses: str) -> list[ShownCell]:
    return [cell for cell in table.cells.values() if cell.status in statuses]


def comparability_lines(table: ShownTable) -> list[str]:
    """Return the plain lines that say whether the table may be compared with the paper's."""
    compared = _with_status(table, INSIDE, OUTSIDE)
    others = _with_status(table, NOT_COMPARABLE)
    if not has_published(table):
        return ["The paper has no values for this table."]
    if all(cell.mean is None for cell in table.cells.values()):
        return ["Nothing of this table was run: the values shown are the paper's."]
    orientation = "the paper's value, marked “paper”, is for orientation only"
    if not compared and not others:
        return ["No cell with a value of the paper was run."]
    if not compared:
        return [
            "Not comparable with the paper: in no cell are model, data and recipe all the paper's "
            f"(below it says why). {orientation.capitalize()}, no difference is taken, and nothing "
            "here reproduces the paper."
        ]
    below = "below each value stand the paper's value and the difference, ours minus the paper's"
    if not others:
        return [f"Model, data and recipe are the paper's: {below}."]
    total = len(compared) + len(others)
    return [
        f"In {len(compared)} of {total} cells model, data and recipe are the paper's: {below}.",
        f"The other {len(others)} cells show no difference and are not comparable with the paper "
        f"(below it says why): there {orientation}.",
    ]


def departure_lines(table: ShownTable) -> list[str]:
    """Return why cells that ran are not compared with the paper, with the number of cells."""
    cells = _with_status(table, NOT_COMPARABLE)
    counts: dict[str, int] = {}
    for cell in cells:
        for reason in dict.fromkeys(map(one_line, cell.departures)):
            counts[reason] = counts.get(reason, 0) + 1

    def share(count: int) -> str:
        return f"all {count}" if count == len(cells) else f"{count} of {len(cells)}"

    return [f"{reason} ({share(count)} cells)" for reason, count in counts.items()]


def tolerance_lines(table: ShownTable) -> list[str]:
    """Return the line that says what the tolerance is, where cells are compared with the paper."""
    labels: dict[str, list[str]] = {}
    for column in table.block.shown_columns:
        for row in table.block.rows:
            cell = table.cells[row.id, column.id]
            if cell.difference is not None and cell.tolerance is not None:
                columns = labels.setdefault(format_tolerance(cell.tolerance), [])
                if column.label not in columns:
                    columns.append(column.label)
    if not labels:
        return []
    if len(labels) == 1:
        amount = next(iter(labels))
    else:
        amount = "; ".join(f"{value} in {', '.join(names)}" for value, names in labels.items())
    return [
        "Tolerance: the largest difference to the paper, in either direction, that counts as "
        f"agreement, here {amount}. A difference beyond it is marked {OUTSIDE_MARK}"
    ]


def legend_lines(table: ShownTable) -> list[str]:
    """Return the lines below the table that explain its marks."""
    cells = table.cells.values()
    lines = []
    counts = sorted({cell.seeds for cell in cells if cell.deviation is not None})
    if counts:
        runs = " or ".join(map(str, counts))
        lines.append(
            f"Mean over {runs} seeds ± sample standard deviation; without ± it is a single run."
        )
    if any(cell.interval for cell in cells):
        lines.append(
            "In brackets: 95% bootstrap interval over the items of the data sets, seeds averaged."
        )
    lines += tolerance_lines(table)
    if any(cell.against for cell in cells):
        lines.append("↑ and ↓: difference to the row named below the label.")
    if any(cell.against and cell.against.p_value is not None for cell in cells):
        lines.append(
            f"{SIGNIFICANT_MARK} after it: p < {format_number(SIGNIFICANT, 2)}, two-sided, by "
            "paired bootstrap over items, seeds averaged; not corrected for the number of "
            "comparisons."
        )
    if any(cell.place == 1 for cell in cells):
        lower = [c.label for c in table.block.shown_columns if c.lower_is_better]
        lowest = f" In {', '.join(lower)} the lowest is the best." if lower else ""
        lines.append(f"Bold: best own score of a column; underlined: second best.{lowest}")
    return lines


def _dropped(sample: Sample) -> str:
    parts = [f"{reason}: {count}" for reason, count in sorted(sample.dropped.items()) if count]
    return "; ".join(parts) or "none"


def sample_header(table: ShownTable) -> list[str]:
    """Return the header of the table of what the scores were measured on."""
    header = ["Data set", "n", "Coverage", "Dropped"]
    return header + ["Rows"] * any(sample.rows for sample in table.samples)


def sample_fields(table: ShownTable, sample: Sample) -> list[str]:
    """Return the fields of one line of that table."""
    fields = [sample.dataset, str(sample.n), format_number(sample.coverage), _dropped(sample)]
    return fields + [", ".join(sample.rows)] * (len(sample_header(table)) - len(fields))
