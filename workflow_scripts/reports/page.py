"""A report as one self-contained page of HTML, in the frame of the results pages."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.option_paths import check_new_file

# in the head of each report, by which a file is known as one that may be replaced
GENERATOR = "mirror-bert report"
# the styles come first
_HEAD_CHARACTERS = 1 << 15
# characters of a text, an id and a note, so that a page stays small whatever the texts
_LONGEST, _LONGEST_ID, _LONGEST_NOTE = 80, 40, 300
_MOST_NOTES = 80


class Fact(NamedTuple):
    """A number that is shown large, with what it is and a line below it."""

    value: str
    label: str
    note: str = ""


class Figure(NamedTuple):
    """A drawing under a title, with a sentence that says what it shows and how it is read."""

    title: str
    text: str
    drawing: Markup
    legend: Sequence[tuple[str, str]] = ()


class Column(NamedTuple):
    label: str
    is_number: bool = False


class Listing(NamedTuple):
    """A table; `text` says what its rows are and how many there are in all."""

    title: str
    text: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]


class Report(NamedTuple):
    """What a page shows, in this order; `verdict` is the first sentence, `notes` are folded."""

    title: str
    verdict: str
    facts: Sequence[Fact] = ()
    figures: Sequence[Figure] = ()
    listings: Sequence[Listing] = ()
    notes: Sequence[tuple[str, str]] = ()


def cut(text: str, longest: int = _LONGEST) -> str:
    """Return a text of the user on one line, without its end where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def cut_id(text: str) -> str:
    return cut(text, _LONGEST_ID)


def name_of(encoder: str) -> str:
    """Return the name of an encoder that a report shows, which has no path of this machine."""
    return Path(encoder).name or encoder


def first_of(number: int, total: int, what: str) -> str:
    """Return how many of a list are on the page: "The first 100 of 6,000 links", "All 12 links"."""
    return (
        f"All {total:,} {what}" if number >= total else f"The first {number:,} of {total:,} {what}"
    )


def render_report(report: Report) -> str:
    # Only now: it brings Jinja2, which commands without a report do not need.
    from workflow_scripts.tables.render import render_page

    notes = [(name, cut(text, _LONGEST_NOTE)) for name, text in report.notes[:_MOST_NOTES]]
    if len(report.notes) > len(notes):
        notes.append(("…", f"and {len(report.notes) - len(notes)} more lines, which are not shown"))
    report = report._replace(notes=notes)
    return render_page("report", run=None, title=report.title, report=report, generator=GENERATOR)


def check_report(option: str, path: Path | None, inputs: Iterable[str | Path | None] = ()) -> None:
    """Raise `UserError` by `option` unless the file is new, or a report, which is replaced."""
    if path is None:
        return
    check_new_file(option, path, True, inputs)
    if path.exists():
        with path.open(encoding="utf-8", errors="replace") as stream:
            is_report = f'content="{GENERATOR}"' in stream.read(_HEAD_CHARACTERS)
        if not is_report:
            problem = "is another file, and is not replaced"
            raise UserError(f"{option} {path}", problem, "choose another")


def write_report(path: Path, report: Report) -> None:
    write_text(path, render_report(report))
