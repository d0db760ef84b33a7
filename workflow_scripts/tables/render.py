"""A filled table as tab-separated values, as Markdown and as an HTML page."""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from html import escape
from itertools import groupby

from workflow_scripts.tables.blocks import Row
from workflow_scripts.tables.cells import Sample, ShownCell, ShownTable, rounded
from workflow_scripts.tables.html_page import html_page

DASH = "–"
MARK = "‡"


def format_number(value: float | Decimal) -> str:
    """Return a value as the paper prints it: .556, -.023, 1.000."""
    text = str(rounded(value))
    return re.sub(r"^(-?)0\.", r"\1.", text)


def format_difference(value: Decimal) -> str:
    """Return a difference with its sign: +.012, -.023; .000 has none."""
    return ("+" if rounded(value) > 0 else "") + format_number(value)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _families(table: ShownTable) -> Iterator[list[Row]]:
    """Yield the rows of each group; neighbours without a group stand together."""
    for _, rows in groupby(table.block.rows, key=lambda row: row.group):
        yield list(rows)


class _Numbering:
    """Numbers for the reasons why cells are empty, in the order in which they first occur."""

    def __init__(self, table: ShownTable) -> None:
        cells = (table.cells[r.id, c] for r in table.block.rows for c in table.block.column_ids)
        found = dict.fromkeys(_one_line(c.not_run) for c in cells if c.not_run is not None)
        self.reasons = list(found)

    def __getitem__(self, reason: str) -> int:
        return self.reasons.index(_one_line(reason)) + 1


def _runs(table: ShownTable) -> tuple[list[Row], list[Row]]:
    """Return the rows that have own values, comparable ones and others."""
    ran = [row for row in table.block.rows if table.ran(row)]
    return [r for r in ran if r.comparable], [r for r in ran if not r.comparable]


def _is_marked(table: ShownTable, row: Row) -> bool:
    """Return whether a row needs the mark that it alone may be compared: others may not."""
    comparable, others = _runs(table)
    return bool(others) and row in comparable


def _has_published(table: ShownTable) -> bool:
    return any(cell.published is not None for cell in table.cells.values())


def _data_lines(data_note: str) -> list[str]:
    return [f"Data: {data_note.rstrip('.')}."] if data_note else []


def comparability_lines(table: ShownTable) -> list[str]:
    """Return the plain lines that say whether the table may be compared with the paper's."""
    comparable, others = _runs(table)
    if not _has_published(table):
        return ["The paper has no values for this table."]
    if not comparable and not others:
        return ["Nothing of this table was run: the values shown are the paper's."]
    greyed = (
        "the paper's values, marked “paper”, are for orientation only and no difference is taken."
    )
    compared = "below each value stand the paper's value and the difference, ours minus the paper's"
    if not comparable:
        return [
            "Models and data are not the paper's: the scores below are not comparable with the "
            f"paper's, and this is not a reproduction; {greyed}"
        ]
    if not others:
        return [f"Models and data are the paper's: {compared}."]
    return [
        f"Models and data are the paper's only in the rows marked {MARK}: there, {compared}.",
        "In all other rows they are not: those scores are not comparable with the paper's and "
        f"reproduce nothing; {greyed}",
    ]


def _legend(table: ShownTable) -> list[str]:
    """Return the lines below the table that explain its marks."""
    cells = table.cells.values()
    lines = []
    counts = sorted({cell.seeds for cell in cells if cell.deviation is not None})
    if counts:
        runs = " or ".join(map(str, counts))
        lines.append(
            f"Mean over {runs} seeds ± sample standard deviation; without ± it is a single run."
        )
    if any(cell.place == 1 for cell in cells):
        lines.append("Bold: best own score of a column; underlined: second best.")
    return lines


def _dropped(sample: Sample) -> str:
    parts = [f"{reason}: {count}" for reason, count in sorted(sample.dropped.items()) if count]
    return "; ".join(parts) or "none"


def _sample_header(table: ShownTable) -> list[str]:
    header = ["Data set", "n", "Coverage", "Dropped"]
    return header + ["Rows"] * any(sample.rows for sample in table.samples)


def _sample_fields(table: ShownTable, sample: Sample) -> list[str]:
    fields = [sample.dataset, str(sample.n), format_number(sample.coverage), _dropped(sample)]
    return fields + [", ".join(sample.rows)] * (len(_sample_header(table)) - len(fields))


# ---- tab-separated values ------------------------------------------------------------------------


def _tsv_fields(cell: ShownCell) -> list[str]:
    values = (cell.mean, cell.deviation)
    shown = ["" if value is None else str(rounded(value)) for value in values]
    exact = (cell.published, cell.difference)
    return shown + ["" if value is None else str(value) for value in exact]


def render_tsv(table: ShownTable) -> str:
    """Return the table with one line for each row and four columns for each column.

    These are the mean, its deviation (`sd`), the published value and the difference; a field is
    empty where there is none. `comparable` is yes where models and data are the paper's.
    """
    header = ["row", "label", "comparable"]
    for label in map(_one_line, table.block.column_labels):
        header += [label, f"{label} sd", f"{label} published", f"{label} difference"]
    lines = [header]
    for row in table.block.rows:
        line = [row.id, _one_line(row.label), "yes" if row.comparable else "no"]
        for column in table.block.column_ids:
            line += _tsv_fields(table.cells[row.id, column])
        lines.append(line)
    return "".join("\t".join(line) + "\n" for line in lines)


# ---- Markdown ------------------------------------------------------------------------------------


def _markdown_text(text: str) -> str:
    """Return plain text on one line, with what Markdown would read as a mark escaped."""
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", _one_line(text))


def _markdown_cell(cell: ShownCell, numbering: _Numbering) -> str:
    if cell.not_run is not None:
        own = f"{DASH}<sup>{numbering[cell.not_run]}</sup>"
    else:
        number = format_number(cell.mean)
        own = {1: f"**{number}**", 2: f"<u>{number}</u>"}.get(cell.place, number)
    if cell.deviation is not None:
        own += f" ±{format_number(cell.deviation)}"
    if cell.published is None:
        return own
    paper = f"paper {format_number(cell.published)}"
    if cell.difference is not None:
        return f"{own}<br>{paper}, {format_difference(cell.difference)}"
    return f"{own}<br><sub>{paper}</sub>"


def _markdown_row(fields: list[str]) -> str:
    return "| " + " | ".join(fields) + " |"


def render_markdown(table: ShownTable, data_note: str) -> str:
    """Return the table as Markdown; `data_note` names the data."""
    block = table.block
    numbering = _Numbering(table)
    labels = [_markdown_text(label) for label in block.column_labels]
    lines = [f"# {_markdown_text(block.title)}", ""]
    lines += [_markdown_text(line) + "\n" for line in _data_lines(data_note)]
    for line in comparability_lines(table):
        lines += [_markdown_text(line), ""]
    lines.append(_markdown_row(["", *labels]))
    lines.append("|---|" + "--:|" * len(labels))
    for number, rows in enumerate(_families(table)):
        if number:
            # Markdown has no rules between rows: an empty row keeps families apart
            lines.append(_markdown_row([""] * (len(labels) + 1)))
        for row in rows:
            label = _markdown_text(row.label) + (f" {MARK}" if _is_marked(table, row) else "")
            cells = [table.cells[row.id, column] for column in block.column_ids]
            lines.append(_markdown_row([label, *(_markdown_cell(c, numbering) for c in cells)]))
    lines.append("")
    for line in [*_legend(table), *block.notes]:
        lines += [_markdown_text(line), ""]
    if numbering.reasons:
        lines += [f"{DASH} no value:", ""]
        lines += [f"{n}. {_markdown_text(r)}" for n, r in enumerate(numbering.reasons, 1)]
        lines.append("")
    if table.samples:
        header = _sample_header(table)
        lines += [_markdown_row(header), "|---|--:|--:|" + "---|" * (len(header) - 3)]
        for sample in table.samples:
            fields = [_markdown_text(field) for field in _sample_fields(table, sample)]
            lines.append(_markdown_row(fields))
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


# ---- HTML ----------------------------------------------------------------------------------------


def _html_cell(cell: ShownCell, numbering: _Numbering) -> str:
    if cell.not_run is not None:
        number = numbering[cell.not_run]
        own = f'<span class="own">{DASH}</span><sup><a href="#reason{number}">{number}</a></sup>'
    else:
        tag = {1: "strong", 2: "u"}.get(cell.place, "span")
        own = f'<{tag} class="own">{format_number(cell.mean)}</{tag}>'
    if cell.deviation is not None:
        own += f' <span class="deviation">±{format_number(cell.deviation)}</span>'
    if cell.published is None:
        return f"<td>{own}</td>"
    paper = f'paper <span class="published">{format_number(cell.published)}</span>'
    if cell.difference is not None:
        paper += f', <span class="difference">{format_difference(cell.difference)}</span>'
    return f'<td>{own} <span class="paper">{paper}</span></td>'


def _html_lines(lines: list[str], of_class: str) -> list[str]:
    return [f'<p class="{of_class}">{escape(_one_line(line))}</p>' for line in lines]


def _html_header(labels: list[str], first: str) -> list[str]:
    cells = "".join(f'<th scope="col">{escape(_one_line(label))}</th>' for label in labels)
    return ["<thead>", f"<tr>{first}{cells}</tr>", "</thead>"]


def _html_families(table: ShownTable, cell_of: Callable[[ShownCell], str]) -> list[str]:
    lines = []
    for rows in _families(table):
        lines.append("<tbody>")
        for row in rows:
            mark = f" {MARK}" if _is_marked(table, row) else ""
            cells = [table.cells[row.id, column] for column in table.block.column_ids]
            lines.append(f'<tr><th scope="row">{escape(_one_line(row.label))}{mark}</th>')
            lines += map(cell_of, cells)
            lines.append("</tr>")
        lines.append("</tbody>")
    return lines


def _html_samples(table: ShownTable) -> list[str]:
    header, *labels = _sample_header(table)
    lines = ['<div class="wide">', '<table class="samples notes">']
    lines.append("<caption>What the scores were measured on</caption>")
    lines += _html_header(labels, f'<th scope="col">{header}</th>')
    lines.append("<tbody>")
    for sample in table.samples:
        name, n, coverage, *texts = map(escape, _sample_fields(table, sample))
        numbers = f"<td>{n}</td><td>{coverage}</td>"
        rest = "".join(f'<td class="text">{text}</td>' for text in texts)
        lines.append(f'<tr><th scope="row">{name}</th>{numbers}{rest}</tr>')
    return [*lines, "</tbody>", "</table>", "</div>"]


def render_html(table: ShownTable, data_note: str) -> str:
    """Return the table as one self-contained HTML page; `data_note` names the data."""
    block = table.block
    numbering = _Numbering(table)
    lines = [
        f'<nav><a href="index.html">All tables</a> · <a href="{escape(block.id)}.tsv">tsv</a>'
        f' · <a href="{escape(block.id)}.md">Markdown</a></nav>'
    ]
    lines.append(f"<h1>{escape(_one_line(block.title))}</h1>")
    lines += _html_lines(_data_lines(data_note), "data")
    lines += _html_lines(comparability_lines(table), "notice")
    lines += ['<div class="wide">', '<table class="scores">']
    below = " and, below them, the paper's values" if _has_published(table) else ""
    lines.append(f"<caption>{escape('Own scores' + below)}</caption>")
    lines += _html_header(block.column_labels, "<td></td>")
    lines += _html_families(table, lambda cell: _html_cell(cell, numbering))
    lines += ["</table>", "</div>"]
    lines += _html_lines([*_legend(table), *block.notes], "notes")
    if numbering.reasons:
        lines += [f'<p class="notes">{DASH} no value:</p>', '<ol class="notes">']
        for number, reason in enumerate(numbering.reasons, 1):
            lines.append(f'<li id="reason{number}">{escape(reason)}</li>')
        lines.append("</ol>")
    if table.samples:
        lines += _html_samples(table)
    return html_page(_one_line(block.title), "\n".join(lines) + "\n")
