"""A filled table as tab-separated values, as Markdown and as an HTML page."""

from collections.abc import Callable
from html import escape

from workflow_scripts.tables.blocks import Column, Row
from workflow_scripts.tables.cells import OUTSIDE, ShownCell, ShownTable
from workflow_scripts.tables.html_page import html_header, html_page, html_paragraphs
from workflow_scripts.tables.legend import (
    OUTSIDE_MARK,
    Reasons,
    arrow,
    comparability_lines,
    data_lines,
    departure_lines,
    families,
    has_published,
    legend_lines,
    sample_fields,
    sample_header,
)
from workflow_scripts.tables.markdown import markdown_row, markdown_text, one_line
from workflow_scripts.tables.numbers import (
    format_difference,
    format_number,
    format_published,
    rounded,
)

DASH = "–"


def format_interval(interval: tuple[float, float], digits: int) -> str:
    """Return an interval in brackets: [.512, .601]."""
    low, high = interval
    return f"[{format_number(low, digits)}, {format_number(high, digits)}]"


def _against_label(table: ShownTable, row: Row) -> str | None:
    """Return the label of the row that a row's arrows are taken to; None without any arrow."""
    if row.against is None or not any(cell.against for cell in table.cells_of(row)):
        return None
    return one_line(table.block.row(row.against).label)


# ---- tab-separated values ------------------------------------------------------------------------


def _tsv_fields(cell: ShownCell, column: Column) -> list[str]:
    low, high = cell.interval or (None, None)
    values = (cell.mean, cell.deviation, low, high)
    shown = ["" if value is None else str(rounded(value, column.digits)) for value in values]
    exact = (cell.published, cell.difference)
    return [*shown, *("" if value is None else str(value) for value in exact), cell.status]


def render_tsv(table: ShownTable) -> str:
    """Return the table with one line for each row and seven columns for each column.

    These are the mean, its deviation (`sd`), the 95% interval (`low`, `high`), the published value,
    the difference and the status; a field is empty where there is none.
    """
    header = ["row", "label"]
    for label in (one_line(column.label) for column in table.block.shown_columns):
        names = ("sd", "low", "high", "published", "difference", "status")
        header += [label, *(f"{label} {name}" for name in names)]
    lines = [header]
    for row in table.block.rows:
        line = [row.id, one_line(row.label)]
        for cell, column in zip(table.cells_of(row), table.block.shown_columns, strict=True):
            line += _tsv_fields(cell, column)
        lines.append(line)
    return "".join("\t".join(line) + "\n" for line in lines)


# ---- Markdown ------------------------------------------------------------------------------------


def _markdown_cell(cell: ShownCell, column: Column, reasons: Reasons) -> str:
    if cell.mean is None:
        lines = [f"{DASH}<sup>{reasons[cell.not_run]}</sup>"]
    else:
        number = format_number(cell.mean, column.digits)
        lines = [{1: f"**{number}**", 2: f"<u>{number}</u>"}.get(cell.place, number)]
    if cell.deviation is not None:
        lines[0] += f" ±{format_number(cell.deviation, column.digits)}"
    if cell.interval is not None:
        interval = markdown_text(format_interval(cell.interval, column.digits))
        lines.append(f"<sub>{interval}</sub>")
    if cell.against is not None:
        sign, amount, mark = arrow(cell, column.digits)
        lines.append(f"{sign}{amount}{markdown_text(mark)}")
    if cell.published is not None:
        paper = f"paper {format_published(cell.published)}"
        if cell.difference is None:
            lines.append(f"<sub>{paper}</sub>")
        else:
            mark = f" {OUTSIDE_MARK}" if cell.status == OUTSIDE else ""
            lines.append(f"{paper}, {format_difference(cell.difference, column.digits)}{mark}")
    return "<br>".join(lines)


def _markdown_families(table: ShownTable, reasons: Reasons) -> list[str]:
    columns = table.block.shown_columns
    lines = []
    for number, rows in enumerate(families(table)):
        if number:
            # Markdown has no rules between rows: an empty row keeps families apart
            lines.append(markdown_row([""] * (len(columns) + 1)))
        for row in rows:
            label = markdown_text(row.label)
            if (other := _against_label(table, row)) is not None:
                label += f"<br><sub>↑↓ to {markdown_text(other)}</sub>"
            cells = zip(table.cells_of(row), columns, strict=True)
            fields = [_markdown_cell(cell, column, reasons) for cell, column in cells]
            lines.append(markdown_row([label, *fields]))
    return lines


def render_markdown(table: ShownTable, data_note: str) -> str:
    """Return the table as Markdown; `data_note` names the data."""
    block = table.block
    reasons = Reasons(table)
    labels = [markdown_text(column.label) for column in block.shown_columns]
    lines = [f"# {markdown_text(block.title)}", ""]
    for line in [*data_lines(data_note), *comparability_lines(table)]:
        lines += [markdown_text(line), ""]
    lines += [markdown_row(["", *labels]), "|---|" + "--:|" * len(labels)]
    lines += [*_markdown_families(table, reasons), ""]
    for line in [*legend_lines(table), *block.notes]:
        lines += [markdown_text(line), ""]
    if reasons.texts:
        lines += [f"{DASH} no value:", ""]
        lines += [f"{n}. {markdown_text(text)}" for n, text in enumerate(reasons.texts, 1)]
        lines.append("")
    if departures := departure_lines(table):
        lines += ["Why scores are not compared with the paper:", ""]
        lines += [f"- {markdown_text(line)}" for line in departures]
        lines.append("")
    if table.samples:
        header = sample_header(table)
        lines += ["What the scores were measured on:", ""]
        lines += [markdown_row(header), "|---|--:|--:|" + "---|" * (len(header) - 3)]
        for sample in table.samples:
            lines.append(markdown_row([markdown_text(f) for f in sample_fields(table, sample)]))
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


# ---- HTML ----------------------------------------------------------------------------------------


def _html_cell(cell: ShownCell, column: Column, reasons: Reasons) -> str:
    if cell.mean is None:
        number = reasons[cell.not_run]
        own = f'<span class="own">{DASH}</span><sup><a href="#reason{number}">{number}</a></sup>'
    else:
        tag = {1: "strong", 2: "u"}.get(cell.place, "span")
        own = f'<{tag} class="own">{format_number(cell.mean, column.digits)}</{tag}>'
    if cell.deviation is not None:
        deviation = format_number(cell.deviation, column.digits)
        own += f' <span class="deviation">±{deviation}</span>'
    lines = [own]
    if cell.interval is not None:
        interval = format_interval(cell.interval, column.digits)
        lines.append(f'<span class="interval">{interval}</span>')
    if cell.against is not None:
        sign, amount, mark = arrow(cell, column.digits)
        lines.append(f'<span class="against">{sign}{amount}{mark}</span>')
    if cell.published is not None:
        paper = f'paper <span class="published">{format_published(cell.published)}</span>'
        if cell.difference is not None:
            difference = format_difference(cell.difference, column.digits)
            paper += f', <span class="difference">{difference}</span>'
        if cell.status == OUTSIDE:
            paper += f' <strong class="outside">{OUTSIDE_MARK}</strong>'
        lines.append(f'<span class="paper">{paper}</span>')
    return f"<td>{' '.join(lines)}</td>"


def _html_families(table: ShownTable, cell_of: Callable[[ShownCell, Column], str]) -> list[str]:
    lines = []
    for rows in families(table):
        lines.append("<tbody>")
        for row in rows:
            label = escape(one_line(row.label))
            if (other := _against_label(table, row)) is not None:
                label += f' <span class="paper">↑↓ to {escape(other)}</span>'
            lines.append(f'<tr><th scope="row">{label}</th>')
            lines += map(cell_of, table.cells_of(row), table.block.shown_columns)
            lines.append("</tr>")
        lines.append("</tbody>")
    return lines


def _html_samples(table: ShownTable) -> list[str]:
    header, *labels = sample_header(table)
    lines = ['<div class="wide">', '<table class="samples notes">']
    lines.append("<caption>What the scores were measured on</caption>")
    lines += html_header(labels, f'<th scope="col">{header}</th>')
    lines.append("<tbody>")
    for sample in table.samples:
        name, n, coverage, *texts = map(escape, sample_fields(table, sample))
        numbers = f"<td>{n}</td><td>{coverage}</td>"
        rest = "".join(f'<td class="text">{text}</td>' for text in texts)
        lines.append(f'<tr><th scope="row">{name}</th>{numbers}{rest}</tr>')
    return [*lines, "</tbody>", "</table>", "</div>"]


def render_html(table: ShownTable, data_note: str) -> str:
    """Return the table as one self-contained HTML page; `data_note` names the data."""
    block = table.block
    reasons = Reasons(table)
    name = escape(block.id)
    lines = [
        f'<nav><a href="index.html">All tables</a> · <a href="{name}.tsv">tsv</a>'
        f' · <a href="{name}.md">Markdown</a> · <a href="{name}.tex">LaTeX</a>'
        f' · <a href="cells/{name}.tsv">one row for each cell</a></nav>'
    ]
    lines.append(f"<h1>{escape(one_line(block.title))}</h1>")
    lines += html_paragraphs(data_lines(data_note), "data")
    lines += html_paragraphs(comparability_lines(table), "notice")
    lines += ['<div class="wide">', '<table class="scores">']
    below = " and, below them, the paper's values" if has_published(table) else ""
    lines.append(f"<caption>{escape('Own scores' + below)}</caption>")
    lines += html_header([column.label for column in block.shown_columns], "<td></td>")
    lines += _html_families(table, lambda cell, column: _html_cell(cell, column, reasons))
    lines += ["</table>", "</div>"]
    lines += html_paragraphs([*legend_lines(table), *block.notes], "notes")
    if reasons.texts:
        lines += [f'<p class="notes">{DASH} no value:</p>', '<ol class="notes">']
        for number, reason in enumerate(reasons.texts, 1):
            lines.append(f'<li id="reason{number}">{escape(reason)}</li>')
        lines.append("</ol>")
    if departures := departure_lines(table):
        lines.append('<p class="notes">Why scores are not compared with the paper:</p>')
        items = [f"<li>{escape(line)}</li>" for line in departures]
        lines += ['<ul class="notes">', *items, "</ul>"]
    if table.samples:
        lines += _html_samples(table)
    return html_page(one_line(block.title), "\n".join(lines) + "\n")
