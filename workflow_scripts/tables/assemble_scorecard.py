"""Count how the cells of all tables and figures stand to their papers: .tsv, .md and .html.

Only published values count. A value that a paper prints in two tables counts in each.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.command_main import run_command
from workflow_scripts.files import read_json
from workflow_scripts.path_functions import command
from workflow_scripts.tables import document as doc
from workflow_scripts.tables import numbers as form
from workflow_scripts.tables.cells import INSIDE, NOT_COMPARABLE, NOT_RUN, OUTSIDE, Cell, read_cells
from workflow_scripts.tables.page_records import cell_files, make_record
from workflow_scripts.tables.render import write_document

TITLE = "Scorecard: our values next to the papers'"
NUMBERS = ("published", "compared", "assumed", "inside", "outside", "not_comparable", "not_run")
# compared cells, where the paper leaves something open
ASSUMED = "assumed"


class Counts(NamedTuple):
    """Published cells by outcome, `NUMBERS`; by status or `ASSUMED`, and reason."""

    numbers: Mapping[str, int]
    reasons: Mapping[str, Mapping[str, int]]


class Scorecard(NamedTuple):
    """Counts by table; outside by falling difference; cells without a published value."""

    tables: dict[str, Counts]
    total: Counts
    outside: list[Cell]
    unpublished: int


def _by_frequency(reasons_of_cells: Iterable[Iterable[str]]) -> dict[str, int]:
    return dict(Counter(chain.from_iterable(reasons_of_cells)).most_common())


def _counts(cells: Sequence[Cell]) -> Counts:
    status = Counter(cell.status for cell in cells)
    assumed = [cell.assumptions for cell in cells if cell.is_compared]
    of_status = (status[name] for name in (INSIDE, OUTSIDE, NOT_COMPARABLE, NOT_RUN))
    numbers = (len(cells), len(assumed), sum(map(bool, assumed)), *of_status)
    reasons = {
        kind: _by_frequency(cell.reasons for cell in cells if cell.status == kind)
        for kind in (NOT_COMPARABLE, NOT_RUN)
    }
    reasons[ASSUMED] = _by_frequency(assumed)
    return Counts(dict(zip(NUMBERS, numbers, strict=True)), reasons)


def count_cells(cells: Iterable[Cell]) -> Scorecard:
    """Return the scorecard of cells of any number of tables and figures."""
    cells = list(cells)
    published = [cell for cell in cells if cell.published is not None]
    by_table = defaultdict(list)
    for cell in published:
        by_table[cell.table].append(cell)
    outside = [cell for cell in published if cell.status == OUTSIDE]
    return Scorecard(
        {table: _counts(of_table) for table, of_table in by_table.items()},
        _counts(published),
        # the sort is stable: equal differences stay in the order of the tables
        sorted(outside, key=lambda cell: -abs(cell.difference or Decimal(0))),
        sum(cell.published is None and cell.mean is not None for cell in cells),
    )


def _cells(number: int) -> str:
    return "1 cell" if number == 1 else f"{number:,} cells"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _summary(card: Scorecard) -> list[str]:
    numbers = card.total.numbers
    published, compared, assumed, inside, outside, not_comparable, not_run = numbers.values()
    if not published:
        return [
            "No cell of any table or figure has a published value, so there is nothing to count."
        ]
    return [
        f"The paper prints {published:,} values in these tables and figures. Of these, "
        f"{_cells(compared)} ran with the paper's model, data and recipe and {_are(compared)} "
        f"compared; {_cells(not_comparable)} ran with others and {_are(not_comparable)} not "
        f"comparable; {_cells(not_run)} did not run.",
        f"Of the {_cells(compared)} compared, {inside:,} lie inside their tolerance and "
        f"{outside:,} outside; {assumed:,} assume something that the paper does not state."
        if compared
        else "No cell is compared, so this run does not show whether the paper's values are "
        "reached. The reasons are listed below.",
    ]


def _notes(unpublished: int) -> list[str]:
    lines = [
        "Compared: the cell ran with the model, the data and the recipe of the paper. Only "
        "then is a difference computed. Details that the paper leaves open come from the "
        "config: such a cell also counts as assumed, and its assumptions are listed above.",
        "Inside: our mean over seeds, as shown, differs from the printed value by no more than the "
        "tolerance that the table states. This means agreement within that bound, no more. "
        "The scorecard does not explain why a cell lies outside.",
        "A value that the paper prints in two tables counts twice.",
    ]
    if unpublished:
        which = f"{_cells(unpublished)} that ran without a published value."
        lines.append(f"Not counted: {which}")
    return lines


def _counts_sheet(card: Scorecard, pages: Mapping[str, doc.Text]) -> doc.Sheet:
    rows = [
        doc.Row((pages[table], *(doc.Text(f"{n:,}") for n in counts.numbers.values())))
        for table, counts in card.tables.items()
    ]
    total = doc.text_row("Total", *(f"{n:,}" for n in card.total.numbers.values()), rank=1)
    heads = (name.replace("_", " ").capitalize() for name in NUMBERS)
    columns = (doc.Column("Table or figure", doc.LEFT), *map(doc.Column, heads))
    return doc.Sheet(columns, [rows, [total]], "Published cells by outcome")


def _outside_row(cell: Cell) -> doc.Row:
    assert cell.published is not None and cell.difference is not None
    assert cell.tolerance is not None
    # the mean as shown is the published value and the difference together
    digits = max(0, -int(cell.difference.as_tuple().exponent))
    ours = form.format_number(cell.published + cell.difference, digits)
    interval = form.format_interval(cell.interval, digits) if cell.interval else doc.DASH
    return doc.text_row(
        *(cell.table, cell.row, cell.column),
        ours if cell.sd is None else f"{ours} ±{form.format_number(cell.sd, digits)}",
        interval,
        form.format_published(cell.published),
        form.format_difference(cell.difference, digits),
        form.format_tolerance(cell.tolerance),
    )


def _outside_sheet(card: Scorecard) -> doc.Sheet:
    words = (doc.Column(label, doc.LEFT) for label in ("Table", "Row", "Column"))
    numbers = map(doc.Column, ("Ours", "95% interval", "Paper", "Difference", "Tol."))
    caption = "Cells outside their tolerance, largest difference first"
    return doc.Sheet((*words, *numbers), [[*map(_outside_row, card.outside)]], caption)


def _reasons_sheet(card: Scorecard, status: str, caption: str) -> doc.Sheet:
    """Return the reasons of a status, most frequent first, with the cells in all and by table."""
    counts_by_reason: dict[str, dict[str, int]] = defaultdict(dict)
    for table, counts in card.tables.items():
        for reason, count in counts.reasons[status].items():
            counts_by_reason[reason][table] = count
    rows = []
    for reason, tables in sorted(counts_by_reason.items(), key=lambda item: -sum(item[1].values())):
        where = ", ".join(f"{table} ({count:,})" for table, count in tables.items())
        rows.append(doc.text_row(reason, f"{sum(tables.values()):,}", where))
    columns = (doc.Column("Reason", doc.TEXT), doc.Column("Cells"), doc.Column("Where", doc.TEXT))
    return doc.Sheet(columns, [rows], caption)


def _section(card: Scorecard, pages: Mapping[str, doc.Text]) -> list[doc.Part]:
    why = "Why cells that ran are not comparable (a cell may have several reasons)"
    sheets = [
        _counts_sheet(card, pages),
        _outside_sheet(card),
        _reasons_sheet(
            card, ASSUMED, "What compared cells assume where the paper gives no details"
        ),
        _reasons_sheet(card, NOT_COMPARABLE, why),
        _reasons_sheet(card, NOT_RUN, "Why cells did not run"),
    ]
    shown = [sheet for sheet in sheets if any(sheet.families)] if card.tables else []
    return [doc.Lines(_summary(card), "notice"), *shown]


def _tsv(cards: Mapping[str, Scorecard], total: Counts) -> doc.Sheet:
    """Return one line for each table, one for each paper if there are several, and the total."""
    lines = [line for card in cards.values() for line in card.tables.items()]
    if len(cards) > 1:
        lines += [(f"total {paper}", card.total) for paper, card in cards.items()]
    rows = []
    for name, counts in [*lines, ("total", total)]:
        reasons = (
            json.dumps(counts.reasons[kind], ensure_ascii=False, sort_keys=True)
            for kind in (NOT_COMPARABLE, NOT_RUN, ASSUMED)
        )
        rows.append(doc.text_row(name, *map(str, counts.numbers.values()), *reasons))
    heads = ("table", *NUMBERS, "not_comparable_reasons", "not_run_reasons", "assumptions")
    return doc.Sheet([*map(doc.Column, heads)], [rows])


def scorecard_documents(block: dict[str, Any]) -> tuple[doc.Document, doc.Document]:
    """Return the page, with a section for each paper that prints values, and what its tsv shows."""
    pages: dict[str, doc.Text] = {}
    cells: dict[str, list[Cell]] = defaultdict(list)
    for paper, sections in block["papers"].items():
        for section, address in (("tables", "{}.html"), ("figures", "../figures/{}.html")):
            for page in sections[section]:
                pages[page["id"]] = doc.Text(page["title"], link=address.format(page["id"]))
                cells[paper] += read_cells(page["cells"])
    everything = count_cells(chain.from_iterable(cells.values()))
    cards = {paper: count_cells(of_paper) for paper, of_paper in cells.items()}
    cards = {paper: card for paper, card in cards.items() if card.tables}
    links = [("All tables and figures", "index.html")]
    links += [("tsv", "scorecard.tsv"), ("Markdown", "scorecard.md")]
    parts: list[doc.Part] = [doc.Links(links), doc.Lines(doc.data_lines(block["data"]), "data")]
    for paper, card in cards.items():
        parts.append(doc.Heading(doc.paper_name(paper, block.get("titles", {}))))
        parts += _section(card, pages)
    if not cards:
        parts += _section(everything, pages)
    parts.append(doc.Lines(_notes(everything.unpublished)))
    numbers = doc.Document("scorecard", TITLE, [_tsv(cards, everything.total)])
    return doc.Document("scorecard", TITLE, parts), numbers


def assemble_scorecard(*, block: Path, output_prefix: Path) -> None:
    """Count how the cells of all tables and figures stand to their papers: .tsv, .md and .html.

    Only published values count. A value that a paper prints in two tables counts in each.

    Args:
        block: what is written: papers, titles, data, ..., json
        output_prefix: path of the outputs without their endings
    """
    content = read_json(block)
    page, numbers = scorecard_documents(content)
    record = make_record(content, cell_files(content), output_prefix.parent.parent)
    write_document(output_prefix, page, "md", "html", record=record)
    write_document(output_prefix, numbers, "tsv")


main = command(assemble_scorecard)

if __name__ == "__main__":
    run_command(main)
