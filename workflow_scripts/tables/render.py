"""Render documents as tsv, Markdown, HTML and LaTeX, with the templates next to this file."""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from workflow_scripts.files import write_text
from workflow_scripts.tables import numbers
from workflow_scripts.tables.cells import Cell
from workflow_scripts.tables.document import DASH, Document, Text
from workflow_scripts.tables.page_records import Record
from workflow_scripts.tables.table import FIELDS

# next to the pages: settings, cards, logs and seconds, which `run_records` gathers
RUN = "run.js"
# next to the pages of tables: which pages show outdated values (`plan/page_status`)
STATUS = "status.js"
_WORDS = "backslash asciicircum asciitilde less greater bar"
_FORMULAS = "pm times leq geq rightarrow uparrow downarrow ddagger rho tau"
_LATEX = (
    {sign: rf"\{sign}" for sign in "{}$&#%_"}
    | {sign: rf"\text{word}{{}}" for sign, word in zip("\\^~<>|", _WORDS.split(), strict=True)}
    # what the fonts of pdfLaTeX lack of the signs that titles and notes use
    | {sign: rf"$\{word}$" for sign, word in zip("±×≤≥→↑↓‡ρτ", _FORMULAS.split(), strict=True)}
    | {"–": "--", "—": "---", "“": "``", "”": "''", "’": "'", "…": r"\ldots{}", "−": "$-$"}
)


def status_script(status: Mapping[str, Any]) -> str:
    """Return status.js: "pages" that show older values by their ids, and more of the run."""
    return f"window.runStatus = {json.dumps(status, ensure_ascii=False, indent=1)};\n"


def one_line(text: str) -> str:
    return " ".join(text.split())


def markdown_text(text: str) -> str:
    """Return plain text on one line, with what Markdown would read as a mark escaped."""
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", one_line(text))


def rst_text(text: str) -> str:
    """Return plain text on one line, with all that reStructuredText could read escaped."""
    return re.sub(r"([^\w\s]|_)", r"\\\1", one_line(text))


def report_text(text: str) -> str:
    """Return plain text on one line for Snakemake's report, which looks the same there.

    The report writes texts into scripts of its page, where the name of a tag would end the script,
    and into reStructuredText; in braces it takes them for wildcards.
    """
    text = re.sub(r"<(?=\S)", "<\N{WORD JOINER}", one_line(text)).replace("`", "'")
    return text.replace("{", "(").replace("}", ")")


def latex_text(text: str) -> str:
    """Return plain text on one line for LaTeX, special characters escaped."""
    return "".join(_LATEX.get(character, character) for character in one_line(text))


def latex_field(text: str) -> str:
    r"""Return LaTeX as a field: a row may not open with [ or *, an argument of the \\ before."""
    return f"{{{text}}}" if text.startswith(("[", "*")) else text


def shown(cell: Text | Cell | None, digits: int) -> str:
    """Return the first part of a cell: its text or mean, or a dash if it has none."""
    if isinstance(cell, Text):
        return cell.text
    if cell is None or cell.mean is None:
        return DASH
    return numbers.format_number(cell.mean, digits)


def arrow(cell: Cell, digits: int) -> str:
    """Return the difference of a cell to another row, with a star where it is significant."""
    change = cell.against_difference
    assert change is not None
    sign = "↑" if change > 0 else "↓" if change < 0 else "="
    star = "*" if cell.is_significant else ""
    return f"{sign}{numbers.format_number(abs(change), digits)}{star}"


def tone(cell: Text | Cell, lower_is_better: bool) -> str:
    """Return what a cell is shaded as next to the row it is compared with: better, worse or ""."""
    if isinstance(cell, Text) or not cell.against_difference:
        return ""
    is_better = (cell.against_difference > 0) != lower_is_better
    return ("better" if is_better else "worse") + (" sure" if cell.is_significant else "")


def fields(cell: Text | Cell, digits: int) -> list[str]:
    """Return the fields of a cell in the tsv; one is empty where there is nothing."""
    if isinstance(cell, Text):
        return [cell.text]
    values = (cell.mean, *(getattr(cell, name) for name in FIELDS))
    # published values are shown as they are printed
    rounded = (numbers.rounded(v, digits) if isinstance(v, float) else v for v in values)
    return ["" if value is None else str(value) for value in rounded]


@cache
def _environment(is_latex: bool) -> Environment:
    # LaTeX is full of braces
    marks = "<% %> << >> <# #>" if is_latex else "{% %} {{ }} {# #}"
    block_start, block_end, value_start, value_end, comment_start, comment_end = marks.split()
    environment = Environment(
        block_start_string=block_start,
        block_end_string=block_end,
        variable_start_string=value_start,
        variable_end_string=value_end,
        comment_start_string=comment_start,
        comment_end_string=comment_end,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
    )
    texts = {"line": one_line, "md": markdown_text, "latex": latex_text, "field": latex_field}
    formats = {
        name: getattr(numbers, f"format_{name}")
        for name in ("number", "interval", "published", "difference", "p")
    }
    cells = {"shown": shown, "arrow": arrow, "tone": tone, "fields": fields}
    environment.filters.update({**texts, **formats, **cells})
    environment.policies["json.dumps_kwargs"] = {"sort_keys": True, "separators": (",", ":")}
    environment.tests["a"] = lambda part, kind: type(part).__name__ == kind
    return environment


def render_page(
    template: str, page: str | None = None, record: Record | None = None, **values: Any
) -> str:
    """Return a page of HTML by one of the templates; `run` is the address of run.js, or None.

    `page` is its id in status.js, "tables/table01", and `record` says what it was made from.
    """
    status = f"../tables/{STATUS}" if page and page.startswith("figures/") else STATUS
    values |= {"page": page, "record": record, "status": status}
    return _environment(False).get_template(f"{template}.html.j2").render(**values)


def _lines_once(details: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return {"lines", "cells"}: the details, with the number of a line in its place.

    Cells of a table say much alike, such as why they are not compared: half of a page's weight.
    """
    numbers: dict[str, int] = {}
    cells = [
        {
            **cell,
            "terms": [
                [name, [numbers.setdefault(line, len(numbers)) for line in lines]]
                for name, lines in cell["terms"]
            ],
        }
        for cell in details
    ]
    return {"lines": list(numbers), "cells": cells}


def render(
    document: Document, form: str, page: str | None = None, record: Record | None = None
) -> str:
    """Return a document in a form: tsv, md, html or tex; `page` and `record` as `render_page`."""
    if form == "html":
        run, cells = (RUN, _lines_once(document.details)) if document.details else (None, None)
        values = {"document": document, "title": document.title, "run": run, "cells": cells}
        return render_page("page", page, record, **values)
    template = _environment(form == "tex").get_template(f"page.{form}.j2")
    text = template.render(document=document)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n" if form == "md" else text


def write_document(
    prefix: str | Path, document: Document, *forms: str, record: Record | None = None
) -> None:
    """Write a document as {prefix}.{ending}; all forms are made before the first is written."""
    page = "/".join(Path(prefix).parts[-2:])
    texts = {ending: render(document, ending, page, record) for ending in forms}
    for ending, text in texts.items():
        write_text(f"{prefix}.{ending}", text)
