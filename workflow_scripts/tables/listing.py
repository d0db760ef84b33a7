"""Tables of plain text, such as running times: the same rows as tsv, Markdown, HTML and LaTeX."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from workflow_scripts.files import write_text
from workflow_scripts.tables.html_page import html_header, html_page, html_paragraphs
from workflow_scripts.tables.latex import latex_row, latex_table, latex_text
from workflow_scripts.tables.markdown import markdown_row, markdown_text, one_line

# alignments of a column; TEXT may break its lines
LEFT, RIGHT, TEXT = "left", "right", "text"


@dataclass(frozen=True)
class Field:
    """Plain text in a cell, bold or not, with the address that it links to or None.

    `is_address` is for addresses and hub ids, whose lines LaTeX may break at other places.
    """

    text: str
    is_bold: bool = False
    link: str | None = None
    is_address: bool = False


@dataclass(frozen=True)
class Listing:
    """Rows under a header, in families that a rule keeps apart; one alignment for each column."""

    caption: str
    header: tuple[str, ...]
    alignment: tuple[str, ...]
    families: tuple[tuple[tuple[Field, ...], ...], ...]


@dataclass(frozen=True)
class ListingPage:
    """A table of plain text with its title, the lines above it and the notes below it."""

    id: str
    title: str
    lines: tuple[str, ...]
    listing: Listing
    notes: tuple[str, ...]


def fields(*texts: str) -> tuple[Field, ...]:
    """Return a row of plain fields."""
    return tuple(map(Field, texts))


def listing_tsv(listing: Listing) -> str:
    """Return header and rows, tab-separated, without marks and links."""
    lines = [listing.header]
    lines += [tuple(f.text for f in row) for family in listing.families for row in family]
    return "".join("\t".join(map(one_line, line)) + "\n" for line in lines)


def _markdown_field(field: Field) -> str:
    text = markdown_text(field.text)
    if field.link is not None:
        text = f"[{text}]({field.link})"
    return f"**{text}**" if field.is_bold else text


def listing_markdown(listing: Listing) -> list[str]:
    """Return the lines of a table in Markdown, an empty row between families."""
    lines = [markdown_row([markdown_text(label) for label in listing.header])]
    lines.append("|" + "|".join("--:" if a == RIGHT else "---" for a in listing.alignment) + "|")
    for number, family in enumerate(listing.families):
        if number:
            lines.append(markdown_row([""] * len(listing.header)))
        lines += [markdown_row([_markdown_field(field) for field in row]) for row in family]
    return lines


def _html_field(field: Field, alignment: str) -> str:
    text = escape(one_line(field.text))
    if field.link is not None:
        text = f'<a href="{escape(field.link)}">{text}</a>'
    if field.is_bold:
        text = f"<strong>{text}</strong>"
    of_class = "" if alignment == RIGHT else f' class="{alignment}"'
    return f"<td{of_class}>{text}</td>"


def listing_html(listing: Listing) -> list[str]:
    """Return the lines of a table in HTML; the first field of a row is its header."""
    lines = ['<div class="wide">', "<table>"]
    if listing.caption:
        lines.append(f"<caption>{escape(one_line(listing.caption))}</caption>")
    first, *others = listing.header
    classes = ["" if a == RIGHT else f' class="{a}"' for a in listing.alignment]
    lines += html_header(others, f'<th scope="col">{escape(first)}</th>', classes[1:])
    for family in listing.families:
        lines.append("<tbody>")
        for row in family:
            head = _html_field(row[0], LEFT)
            head = head.replace('<td class="left">', '<th scope="row">').replace("</td>", "</th>")
            rest = map(_html_field, row[1:], listing.alignment[1:])
            lines.append(f"<tr>{head}{''.join(rest)}</tr>")
        lines.append("</tbody>")
    return [*lines, "</table>", "</div>"]


def _latex_field(field: Field) -> str:
    text = rf"\url{{{field.text}}}" if field.is_address else latex_text(field.text)
    return rf"\textbf{{{text}}}" if field.is_bold else text


def _page_tsv(page: ListingPage) -> str:
    return listing_tsv(page.listing)


def _page_markdown(page: ListingPage) -> str:
    lines = [f"# {markdown_text(page.title)}", ""]
    for line in page.lines:
        lines += [markdown_text(line), ""]
    lines += [*listing_markdown(page.listing), ""]
    for line in page.notes:
        lines += [markdown_text(line), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _page_html(page: ListingPage) -> str:
    name = escape(page.id)
    forms = (("tsv", "tsv"), ("md", "Markdown"), ("tex", "LaTeX"))
    links = "".join(f' · <a href="{name}.{ending}">{form}</a>' for ending, form in forms)
    lines = [f'<nav><a href="index.html">All tables</a>{links}</nav>']
    lines.append(f"<h1>{escape(one_line(page.title))}</h1>")
    lines += html_paragraphs(page.lines, "notice")
    lines += listing_html(page.listing)
    lines += html_paragraphs(page.notes, "notes")
    return html_page(one_line(page.title), "\n".join(lines) + "\n")


def _page_latex(page: ListingPage) -> str:
    # a column of text would run off the page unless it may break its lines
    letters = {LEFT: "l", RIGHT: "r", TEXT: r"p{0.3\linewidth}"}
    everything = [f for family in page.listing.families for row in family for f in row]
    packages = ("booktabs", "url") if any(f.is_address for f in everything) else ("booktabs",)
    return latex_table(
        name=page.id,
        caption=page.title,
        alignment="".join(letters[alignment] for alignment in page.listing.alignment),
        header=[latex_text(label) for label in page.listing.header],
        families=[
            [latex_row([_latex_field(field) for field in row]) for row in family]
            for family in page.listing.families
        ],
        comments=[*page.lines, *page.notes],
        packages=packages,
    )


def write_listing_page(prefix: str, page: ListingPage) -> None:
    """Write a page as {prefix}.tsv, .md, .html and .tex."""
    forms: dict[str, Callable[[ListingPage], str]] = {
        ".tsv": _page_tsv,
        ".md": _page_markdown,
        ".html": _page_html,
        ".tex": _page_latex,
    }
    for ending, render in forms.items():
        write_text(prefix + ending, render(page))
