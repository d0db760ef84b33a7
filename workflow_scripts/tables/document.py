"""The document that every table, figure and page is made as, once, before any form of it.

All texts are plain: what HTML, Markdown or LaTeX would read as a mark is escaped by the templates.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from workflow_scripts.configuration.print_style import LatexStyle
from workflow_scripts.tables.cells import Cell
from workflow_scripts.tables.numbers import DIGITS

# alignments of a column; TEXT may break its lines
LEFT, RIGHT, TEXT = "left", "right", "text"
DASH = "–"
# the paper of tables and figures that name none
OWN = "own"
# of a table, besides its page
FORMS = (("tsv", "tsv"), ("Markdown", "md"), ("LaTeX", "tex"))
PAGE_FORMS = ("html", *(ending for _, ending in FORMS))


class Text(NamedTuple):
    """A field of a table that is not a score: a word, a number or the label of a row.

    `rank` 1 is bold, 2 underlined; `below` is a line below it. LaTeX may break an `is_address`
    anywhere.
    """

    text: str = ""
    rank: int | None = None
    link: str | None = None
    is_address: bool = False
    below: str = ""


class Column(NamedTuple):
    """A column; `fields` are the heads of its columns in the tsv, else the label alone.

    Of cells it shows means with `digits`; `below` is a line below its label on the page.
    """

    label: str
    alignment: str = RIGHT
    fields: tuple[str, ...] | None = None
    prints_arrows: bool = True
    digits: int = DIGITS
    lower_is_better: bool = False
    below: str = ""


class Row(NamedTuple):
    """A row with a text or cell for each column; HTML filters by its `models`.

    The tsv has its `id` before them.
    """

    cells: tuple[Text | Cell, ...]
    id: str = ""
    models: Sequence[str] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it has cells, and nothing of them was run."""
        means = [cell.mean for cell in self.cells if isinstance(cell, Cell)]
        return bool(means) and all(mean is None for mean in means)


class Sheet(NamedTuple):
    """Rows under a header, in families that a rule keeps apart; `style` is a class of HTML."""

    columns: Sequence[Column]
    families: Sequence[Sequence[Row]]
    caption: str = ""
    style: str = ""

    @property
    def rows(self) -> list[Row]:
        return [row for family in self.families for row in family]

    @property
    def not_run(self) -> list[tuple[str, str]]:
        """The labels of rows of which nothing was run, by reason; none where no row was run."""
        empty = [row for row in self.rows if row.is_empty]
        labels: dict[str, list[str]] = {}
        for row in empty if len(empty) < len(self.rows) else ():
            reasons = (cell.reasons[0] for cell in row.cells if isinstance(cell, Cell))
            label = row.cells[0]
            assert isinstance(label, Text)
            labels.setdefault("; ".join(dict.fromkeys(reasons)), []).append(label.text)
        return [(", ".join(rows), reason) for reason, rows in labels.items()]


class Heading(NamedTuple):
    """A heading below the title."""

    text: str


class Lines(NamedTuple):
    """Paragraphs; `style` is a class of HTML: data, notice or notes."""

    lines: Sequence[str]
    style: str = "notes"


class Items(NamedTuple):
    """A list under a line; numbered items are the reasons of cells that were not run."""

    title: str
    items: Sequence[str]
    is_numbered: bool = False


class Picture(NamedTuple):
    """A picture with the line below it."""

    address: str
    title: str


class Links(NamedTuple):
    """(text, address) of other files; without a title they are for pages of HTML alone."""

    links: Sequence[tuple[str, str]]
    title: str = ""


Part = Sheet | Heading | Lines | Items | Picture | Links


class Document(NamedTuple):
    """A page of parts. Its first sheet is what tsv and LaTeX show.

    LaTeX has `print_caption` below it (the title where it is empty) and `comments` above; `latex`
    says what it shows besides own scores. What cells open in HTML are `details`, in their order.
    """

    id: str
    title: str
    parts: Sequence[Part]
    print_caption: str = ""
    comments: Sequence[str] = ()
    details: Sequence[Mapping[str, Any]] = ()
    latex: LatexStyle = LatexStyle()

    @property
    def caption(self) -> str:
        """The caption in LaTeX, which counts tables itself: without "Table 3."."""
        text = self.print_caption or self.title
        if number := re.match(r"(\S+, )?Table \d+\.? ", text):
            text = text[number.end() :]
            text = text[:1].upper() + text[1:]
        return text

    @property
    def printed_families(self) -> list[list[Row]]:
        """The rows that LaTeX has: without those that were not run, unless it has the paper's."""
        keeps_all = self.latex.published or all(row.is_empty for row in self.sheet.rows)
        families = [
            [row for row in family if keeps_all or not row.is_empty]
            for family in self.sheet.families
        ]
        return [family for family in families if family]

    @property
    def sheet(self) -> Sheet:
        return next(part for part in self.parts if isinstance(part, Sheet))

    def reason_number(self, cell: Cell) -> int:
        """Return the number, in the list of the document, of the reason why a cell was not run."""
        lists = (part.items for part in self.parts if isinstance(part, Items) and part.is_numbered)
        return 1 + list(next(lists)).index(cell.reasons[0])

    @property
    def folds(self) -> list[tuple[bool, list[Part]]]:
        """The parts, those in a row that HTML folds away together: notes below the first sheet."""
        first = next((n for n, part in enumerate(self.parts) if isinstance(part, Sheet)), 0)
        places = groupby(
            enumerate(self.parts), lambda numbered: numbered[0] > first and _is_note(numbered[1])
        )
        return [(is_folded, [part for _, part in parts]) for is_folded, parts in places]


def _is_note(part: Part) -> bool:
    if isinstance(part, Items):
        return bool(part.title)
    return isinstance(part, (Lines, Sheet)) and "notes" in part.style.split()


def text_row(*texts: str, rank: int | None = None) -> Row:
    return Row(tuple(Text(text, rank) for text in texts))


def paper_name(paper: str, titles: Mapping[str, str]) -> str:
    """Return the heading over the tables and figures of a paper; `titles` are those of papers."""
    return "Your own" if paper == OWN else titles.get(paper, f"Paper {paper}")


def data_lines(data_note: str) -> list[str]:
    """Return the line that names the data, if there is anything to say."""
    return [f"Data: {data_note.rstrip('.')}."] if data_note else []


def form_links(name: str, *more: tuple[str, str]) -> Links:
    """Return the links of a table's page to the index and to its other forms."""
    others = [(form, f"{name}.{ending}") for form, ending in FORMS]
    return Links([("All tables and figures", "index.html"), *others, *more])


def table_document(
    name: str, title: str, above: Sequence[str], sheet: Sheet, notes: Sequence[str]
) -> Document:
    """Return the document of a table of words and numbers, between lines above it and notes."""
    parts = (form_links(name), Lines(above, "notice"), sheet, Lines(notes))
    return Document(name, title, parts, comments=[*above, *notes])
