r"""A filled table in LaTeX, as an author would paste it: own values, best and second best marked.

The published values stand in comments below each row.
"""

from workflow_scripts.tables.blocks import AVERAGE, Column, Row
from workflow_scripts.tables.cells import INSIDE, NOT_COMPARABLE, OUTSIDE, ShownCell, ShownTable
from workflow_scripts.tables.latex import latex_comment, latex_row, latex_table, latex_text
from workflow_scripts.tables.legend import (
    arrow,
    data_lines,
    families,
    has_published,
)
from workflow_scripts.tables.markdown import one_line
from workflow_scripts.tables.numbers import format_number, format_published

_ARROWS = {"↑": r"$\uparrow$", "↓": r"$\downarrow$", "=": "="}


def _shows_arrows(table: ShownTable, column: Column) -> bool:
    """Return whether a column has arrows: with an average it alone does, as in the paper."""
    return column.id == AVERAGE or not table.block.average


def _cell(table: ShownTable, cell: ShownCell, column: Column) -> str:
    if cell.mean is None:
        return "--"
    number = format_number(cell.mean, column.digits)
    text = {1: rf"\textbf{{{number}}}", 2: rf"\underline{{{number}}}"}.get(cell.place, number)
    if cell.deviation is not None:
        text += rf"{{\scriptsize$\pm${format_number(cell.deviation, column.digits)}}}"
    if cell.against is not None and _shows_arrows(table, column):
        sign, amount, mark = arrow(cell, column.digits)
        text += rf"{{\scriptsize{_ARROWS[sign]}{amount}{mark}}}"
    return text


def _published_comment(table: ShownTable, row: Row) -> list[str]:
    values = [cell.published for cell in table.cells_of(row)]
    if all(value is None for value in values):
        return []
    shown = ["--" if value is None else format_published(value) for value in values]
    return [latex_comment(f"paper, {row.id}: {' & '.join(shown)}")]


def _comparable(table: ShownTable) -> tuple[int, int]:
    """Return how many cells are compared with the paper, and how many others that ran are not."""
    statuses = [cell.status for cell in table.cells.values()]
    compared = sum(status in (INSIDE, OUTSIDE) for status in statuses)
    return compared, statuses.count(NOT_COMPARABLE)


def _comments(table: ShownTable) -> list[str]:
    compared, others = _comparable(table)
    if not has_published(table):
        return []
    total = compared + others
    return [
        "The paper's values stand in comments below the rows; model, data and recipe are the "
        f"paper's in {compared} of {total} cells that have one and were run."
    ]


def _caption(table: ShownTable, data_note: str) -> str:
    cells = table.cells.values()
    block = table.block
    sentences = [one_line(block.title).rstrip(".") + ".", *data_lines(data_note)]
    compared, others = _comparable(table)
    if others:
        which = "Not all values are" if compared else "No value is"
        sentences.append(f"{which} comparable with those of Liu et al. (2021).")
    if any(cell.place == 1 for cell in cells):
        sentences.append("Bold and underline: highest and second-highest score of a column.")
        lower = [column.label for column in block.shown_columns if column.lower_is_better]
        if lower:
            sentences.append(f"In {', '.join(lower)} lower is better, and the lowest is bold.")
    counts = sorted({cell.seeds for cell in cells if cell.deviation is not None})
    if counts:
        runs = " or ".join(map(str, counts))
        sentences.append(f"Mean over {runs} seeds ± sample standard deviation.")
    arrows = [
        (row, cell)
        for row in block.rows
        for cell, column in zip(table.cells_of(row), block.shown_columns, strict=True)
        if cell.against is not None and _shows_arrows(table, column)
    ]
    if arrows:
        pairs = dict.fromkeys((row.label, block.row(row.against).label) for row, _ in arrows)
        listed = "; ".join(f"{label} to {other}" for label, other in pairs)
        sentences.append(f"Arrows: differences between rows ({listed}).")
    if any(arrow(cell, 0)[2] for _, cell in arrows):
        sentences.append("*: p < .05, two-sided paired bootstrap over items, seeds averaged.")
    return " ".join(sentences)


def render_latex(table: ShownTable, data_note: str) -> str:
    r"""Return the table as a LaTeX float with booktabs rules; `data_note` names the data.

    Best and second best of each column are bold and underlined, as in the paper. Groups are kept
    apart by \midrule.
    """
    columns = table.block.shown_columns
    bodies = []
    for rows in families(table):
        body = []
        for row in rows:
            cells = zip(table.cells_of(row), columns, strict=True)
            fields = [_cell(table, cell, column) for cell, column in cells]
            body += [latex_row([latex_text(row.label), *fields]), *_published_comment(table, row)]
        bodies.append(body)
    return latex_table(
        name=table.block.id,
        caption=_caption(table, data_note),
        alignment="l" + "r" * len(columns),
        header=["", *(latex_text(column.label) for column in columns)],
        families=bodies,
        comments=_comments(table),
    )
