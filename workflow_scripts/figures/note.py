"""The note that accompanies a figure: caption, what was measured, what may be compared."""

from collections.abc import Iterable
from typing import Any

from workflow_scripts.figures.plots import Plot
from workflow_scripts.tables import document as doc
from workflow_scripts.tables import numbers as form
from workflow_scripts.tables.cells import INSIDE, Cell


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…")) else text + "."


def _compared(label: str, cell: Cell) -> str:
    assert cell.published is not None and cell.difference is not None
    assert cell.tolerance is not None
    relation = "within" if cell.status == INSIDE else "outside"
    line = (
        f"{label}: paper {form.format_published(cell.published)}, difference (ours minus the "
        f"paper's) {form.format_difference(cell.difference)}, {relation} the tolerance of "
        f"{form.format_tolerance(cell.tolerance)}."
    )
    return f"{line} Assumed: {_joined(cell.assumptions)}" if cell.assumptions else line


def _joined(reasons: Iterable[str]) -> str:
    return _sentence("; ".join(reason.rstrip(".") for reason in reasons))


def comparison_lines(plot: Plot) -> list[str]:
    """Return sentences that say which parts of a figure may be compared with the paper's."""
    if not plot.points:
        return ["Nothing of this figure was run, so there is nothing to compare."]
    table = plot.values
    shown = [(row.label, table.cells_of(row)[0]) for row in table.rows] if table else []
    ran = [(label, cell) for label, cell in shown if cell.mean is not None]
    lines = [_compared(label, cell) for label, cell in ran if cell.is_compared]
    alike = [label for label, cell in ran if cell.published is None and not cell.reasons]
    if any(cell.published is not None for _, cell in shown):
        lines += [f"{label}: the paper prints no value for it." for label in alike]
    else:
        lines.append(
            "This figure has no published numbers. It can be compared with the paper's "
            "figure only by eye, and only where model, data and recipe are the paper's."
        )
    for label, cell in ran:
        if cell.reasons:
            what = "not comparable with the paper, not a reproduction"
            lines.append(f"{label}: {what}: {_joined(cell.reasons)}")
    return lines


def note_document(block: dict[str, Any], plot: Plot) -> doc.Document:
    name, title = block["id"], block["title"]
    lines = [*map(_sentence, [block["caption"], *block["notes"]]), *doc.data_lines(block["data"])]
    pages = [("All tables and figures", "../tables/index.html"), ("Markdown", f"{name}.md")]
    parts: list[doc.Part] = [doc.Links(pages), doc.Picture(f"{name}.png", title), doc.Lines(lines)]
    if plot.points:
        head, *rows = plot.numbers
        columns = [doc.Column(text, doc.RIGHT if at else doc.LEFT) for at, text in enumerate(head)]
        parts += [doc.Heading("What was measured"), doc.Items("", plot.facts)]
        parts.append(doc.Sheet(columns, [[doc.text_row(*row) for row in rows]]))
    parts += [doc.Heading("What may be compared"), doc.Items("", comparison_lines(plot))]
    if plot.not_run:
        reasons = [f"{label}: {_sentence(reason)}" for label, reason in plot.not_run]
        parts += [doc.Heading("Not run, so not drawn"), doc.Items("", reasons)]
    files = [("PDF", f"{name}.pdf"), ("SVG", f"{name}.svg"), ("the numbers behind", f"{name}.tsv")]
    return doc.Document(name, title, [*parts, doc.Links(files, "Files")])
