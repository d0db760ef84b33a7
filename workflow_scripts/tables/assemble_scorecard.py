"""Count how the cells of all tables and figures stand to the paper: .tsv, .md and .html."""

import argparse
from collections.abc import Mapping
from html import escape
from pathlib import Path

from workflow_scripts.errors import run_command
from workflow_scripts.files import write_text
from workflow_scripts.tables.block_values import OPTIONAL_LIST, read_object, titles
from workflow_scripts.tables.cells import NOT_COMPARABLE, NOT_RUN
from workflow_scripts.tables.html_page import html_page, html_paragraphs
from workflow_scripts.tables.legend import data_lines
from workflow_scripts.tables.listing import (
    LEFT,
    RIGHT,
    TEXT,
    Field,
    Listing,
    fields,
    listing_html,
    listing_markdown,
)
from workflow_scripts.tables.markdown import markdown_text
from workflow_scripts.tables.numbers import (
    format_difference,
    format_number,
    format_published,
    format_tolerance,
)
from workflow_scripts.tables.scorecard import (
    TOTAL,
    Counts,
    Scorecard,
    count_cells,
    scorecard_tsv,
)
from workflow_scripts.tables.tidy_cells import TidyCell, read_cells

# (title, address) of tables and figures by id
Pages = Mapping[str, tuple[str, str]]

TITLE = "Scorecard: our values beside the paper's"


def _cells(number: int) -> str:
    return "1 cell" if number == 1 else f"{number:,} cells"


def summary_lines(scorecard: Scorecard) -> list[str]:
    """Return what the scorecard says, in sentences."""
    total = scorecard.total
    if not total.published:
        return ["No cell of any table or figure has a published value: there is nothing to count."]
    lines = [
        f"The paper prints {total.published:,} values in these tables and figures. Beside them, "
        f"{_cells(total.compared)} ran with the paper's model, data and recipe and "
        f"{'is' if total.compared == 1 else 'are'} compared; {_cells(total.not_comparable)} ran "
        f"with others and {'is' if total.not_comparable == 1 else 'are'} not comparable; "
        f"{_cells(total.not_run)} did not run."
    ]
    if total.compared:
        lines.append(
            f"Of the {_cells(total.compared)} compared, {total.inside:,} lie inside their "
            f"tolerance and {total.outside:,} outside."
        )
    else:
        lines.append(
            "Not one cell is compared, so this run says nothing about whether the paper's values "
            "are reached. The reasons stand below."
        )
    return lines


def note_lines(scorecard: Scorecard) -> list[str]:
    """Return what the words of the scorecard mean."""
    lines = [
        "Compared: the cell ran with the model, the data and the recipe of the paper. Only then is "
        "a difference taken.",
        "Inside: our mean over seeds, as shown, differs from the printed value by no more than the "
        "tolerance that the table states. It is agreement within that bound and no more; a cell "
        "outside is not explained by it.",
        "A value that the paper prints in two tables counts in each.",
    ]
    if scorecard.unpublished:
        lines.append(
            f"Not counted: {_cells(scorecard.unpublished)} that ran and for which the paper prints "
            "no value."
        )
    return lines


def _counts_row(head: Field, counts: Counts, *, is_bold: bool = False) -> tuple[Field, ...]:
    numbers = (
        counts.published,
        counts.compared,
        counts.inside,
        counts.outside,
        counts.not_comparable,
        counts.not_run,
    )
    return (head, *(Field(f"{number:,}", is_bold) for number in numbers))


def counts_listing(scorecard: Scorecard, pages: Pages) -> Listing:
    """Return the counts by table and in total; one that is among `pages` links to its own."""
    rows = []
    for table, counts in scorecard.tables.items():
        title, address = pages.get(table, (table, None))
        rows.append(_counts_row(Field(title, link=address), counts))
    total = _counts_row(Field(TOTAL.capitalize(), is_bold=True), scorecard.total, is_bold=True)
    return Listing(
        caption="Published cells by what became of them",
        header=(
            "Table or figure",
            "Published",
            "Compared",
            "Inside",
            "Outside",
            "Not comparable",
            "Not run",
        ),
        alignment=(LEFT, *[RIGHT] * 6),
        families=(tuple(rows), (total,)),
    )


def outside_listing(scorecard: Scorecard) -> Listing:
    """Return the cells outside their tolerance, largest difference first."""
    return Listing(
        caption="Cells outside their tolerance, largest difference first",
        header=("Table", "Row", "Column", "Ours", "95% interval", "Paper", "Difference", "Tol."),
        alignment=(LEFT, LEFT, LEFT, *[RIGHT] * 5),
        families=(tuple(map(_outside_row, scorecard.outside)),),
    )


def _outside_row(cell: TidyCell) -> tuple[Field, ...]:
    assert cell.mean is not None and cell.published is not None
    assert cell.difference is not None and cell.tolerance is not None
    # the mean as shown is the published value and the difference together
    digits = max(0, -int(cell.difference.as_tuple().exponent))
    ours = format_number(cell.published + cell.difference, digits)
    if cell.sd is not None:
        ours += f" ±{format_number(cell.sd, digits)}"
    interval = "–"
    if cell.low is not None and cell.high is not None:
        interval = f"[{format_number(cell.low, digits)}, {format_number(cell.high, digits)}]"
    return fields(
        cell.table,
        cell.row,
        cell.column,
        ours,
        interval,
        format_published(cell.published),
        format_difference(cell.difference, digits),
        format_tolerance(cell.tolerance),
    )


def reasons_listing(scorecard: Scorecard, status: str, caption: str) -> Listing:
    """Return the reasons of a status with the number of cells, in all and by table."""
    rows = []
    for reason, tables in scorecard.tables_by_reason(status).items():
        where = ", ".join(f"{table} ({count:,})" for table, count in tables.items())
        rows.append(fields(reason, f"{sum(tables.values()):,}", where))
    return Listing(
        caption=caption,
        header=("Reason", "Cells", "Where"),
        alignment=(TEXT, RIGHT, TEXT),
        families=(tuple(rows),),
    )


def _listings(scorecard: Scorecard, pages: Pages) -> list[Listing]:
    listings = [
        counts_listing(scorecard, pages),
        outside_listing(scorecard),
        reasons_listing(
            scorecard,
            NOT_COMPARABLE,
            "Why cells that ran are not comparable (a cell may have several reasons)",
        ),
        reasons_listing(scorecard, NOT_RUN, "Why cells did not run"),
    ]
    return [listing for listing in listings if any(listing.families)]


def scorecard_markdown(scorecard: Scorecard, data_note: str, pages: Pages) -> str:
    """Return the scorecard as Markdown."""
    lines = [f"# {markdown_text(TITLE)}", ""]
    for line in [*data_lines(data_note), *summary_lines(scorecard)]:
        lines += [markdown_text(line), ""]
    if scorecard.tables:
        for listing in _listings(scorecard, pages):
            lines += [f"{markdown_text(listing.caption)}:", "", *listing_markdown(listing), ""]
    for line in note_lines(scorecard):
        lines += [markdown_text(line), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def scorecard_html(scorecard: Scorecard, data_note: str, pages: Pages) -> str:
    """Return the scorecard as an HTML page."""
    lines = ['<nav><a href="index.html">All tables</a> · <a href="scorecard.tsv">tsv</a>']
    lines[0] += ' · <a href="scorecard.md">Markdown</a></nav>'
    lines.append(f"<h1>{escape(TITLE)}</h1>")
    lines += html_paragraphs(data_lines(data_note), "data")
    lines += html_paragraphs(summary_lines(scorecard), "notice")
    if scorecard.tables:
        for listing in _listings(scorecard, pages):
            lines += listing_html(listing)
    lines += html_paragraphs(note_lines(scorecard), "notes")
    return html_page(TITLE, "\n".join(lines) + "\n")


def parse_pages(text: str) -> dict[str, tuple[str, str]]:
    """Return (title, address) by id of the tables and figures that a JSON object lists.

    Its keys `tables` and `figures` hold objects of id and title, as those of the index page do.
    """
    block = read_object(text, "--block", {"tables": OPTIONAL_LIST, "figures": OPTIONAL_LIST})
    pages = {}
    for key, address in (("tables", "{}.html"), ("figures", "../figures/{}.png")):
        for name, title in titles(block[key] or [], f"--block: `{key}`").items():
            pages[name] = title, address.format(name)
    return pages


def main(argv: list[str] | None = None) -> None:
    """Read the tidy cells of tables and figures and write the scorecard in three forms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--cells", nargs="*", default=[], help="tidy cells of tables and figures, tsv"
    )
    parser.add_argument(
        "--block", default="{}", help="JSON object: tables and figures, each with id and title"
    )
    parser.add_argument("--data-note", default="", help="what the page says of the data")
    parser.add_argument(
        "--output-prefix", required=True, help="path of the outputs without .tsv, .md, .html"
    )
    arguments = parser.parse_args(argv)
    pages = parse_pages(arguments.block)
    scorecard = count_cells((path, read_cells(path)) for path in arguments.cells)
    texts = {
        ".tsv": scorecard_tsv(scorecard),
        ".md": scorecard_markdown(scorecard, arguments.data_note, pages),
        ".html": scorecard_html(scorecard, arguments.data_note, pages),
    }
    for ending, text in texts.items():
        write_text(Path(arguments.output_prefix + ending), text)


if __name__ == "__main__":
    run_command(main)
