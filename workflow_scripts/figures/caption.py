"""The note that stands beside a figure: caption, what was measured, what may be compared."""

from collections.abc import Sequence

from workflow_scripts.figures.blocks import FigureBlock
from workflow_scripts.figures.plots import Plot
from workflow_scripts.tables.cells import INSIDE, NOT_RUN, OUTSIDE, ShownCell
from workflow_scripts.tables.legend import data_lines
from workflow_scripts.tables.markdown import markdown_row, markdown_text, one_line
from workflow_scripts.tables.numbers import (
    format_difference,
    format_published,
    format_tolerance,
)


def _sentence(text: str) -> str:
    text = one_line(text)
    return text if text.endswith((".", "!", "?", "…")) else text + "."


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    header, *body = (markdown_row([markdown_text(field) for field in row]) for row in rows)
    return [header, "|---|" + "--:|" * (len(rows[0]) - 1), *body]


def _compared(label: str, cell: ShownCell) -> str:
    place = "within" if cell.status == INSIDE else "outside"
    return (
        f"{label}: paper {format_published(cell.published)}, difference (ours minus the paper's) "
        f"{format_difference(cell.difference)}, {place} the tolerance of "
        f"{format_tolerance(cell.tolerance)}."
    )


def comparison_lines(plot: Plot) -> list[str]:
    """Return the sentences that say what of a figure may be compared with the paper's."""
    if not plot.points:
        return ["Nothing of this figure was run, so there is nothing to compare."]
    shown = []
    if plot.values is not None:
        (column,) = plot.values.block.columns
        shown = [
            (row.label, plot.values.cells[row.id, column.id]) for row in plot.values.block.rows
        ]
    ran = [(label, cell) for label, cell in shown if cell.status != NOT_RUN]
    lines = [_compared(label, cell) for label, cell in ran if cell.status in (INSIDE, OUTSIDE)]
    if not any(cell.published is not None for _, cell in shown):
        lines.append(
            "The paper prints no numbers for this figure: its curves can be compared by eye alone, "
            "and only where model, data and recipe are the paper's."
        )
    else:
        lines += [
            f"{label}: the paper prints no value for it."
            for label, cell in ran
            if cell.published is None and not cell.departures
        ]
    lines += [
        f"{label}: not comparable with the paper's and no reproduction: "
        f"{_sentence('; '.join(reason.rstrip('.') for reason in cell.departures))}"
        for label, cell in ran
        if cell.departures
    ]
    return lines


def render_note(block: FigureBlock, plot: Plot, data_note: str) -> str:
    """Return the note of a figure as Markdown; `data_note` names the data."""
    lines = [
        f"# {markdown_text(block.title)}",
        "",
        f"![{markdown_text(block.title)}]({block.id}.png)",
        "",
        markdown_text(_sentence(block.caption)),
        "",
    ]
    for note in block.notes:
        lines += [markdown_text(_sentence(note)), ""]
    for line in data_lines(data_note):
        lines += [markdown_text(line), ""]
    if plot.points:
        lines += ["## What was measured", ""]
        lines += [f"- {markdown_text(fact)}" for fact in plot.facts]
        lines += ["", *_table(plot.numbers), ""]
    lines += ["## What may be compared", ""]
    lines += [f"- {markdown_text(line)}" for line in comparison_lines(plot)]
    if plot.not_run:
        lines += ["", "## Not run, so not drawn", ""]
        lines += [
            f"- {markdown_text(one.label)}: {markdown_text(_sentence(one.reason))}"
            for one in plot.not_run
        ]
    lines += ["", f"Files: [SVG]({block.id}.svg), [the numbers behind]({block.id}.tsv)"]
    return "\n".join(lines) + "\n"
