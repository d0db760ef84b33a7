"""Write the page that shows the scorecard, tables and figures and says what made them."""

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from workflow_scripts.errors import run_command
from workflow_scripts.files import write_text
from workflow_scripts.tables import document as doc
from workflow_scripts.tables.arguments import read_arguments
from workflow_scripts.tables.render import render

# packages whose version can move a score
PACKAGES = "torch transformers tokenizers sentence-transformers numpy scipy faiss-cpu snakemake"


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _tables(tables: list[dict[str, str]]) -> doc.Sheet:
    rows = []
    for one in tables:
        links = (doc.Cell(form, link=f"{one['id']}.{ending}") for form, ending in doc.FORMS)
        rows.append(doc.Row((doc.Cell(one["title"], link=f"{one['id']}.html"), *links)))
    heads = ("Table", *(form for form, _ in doc.FORMS))
    return doc.Sheet([doc.Column(head, doc.LEFT) for head in heads], [rows])


def _figure(name: str, title: str) -> doc.Picture:
    forms = {"svg": "svg", "numbers, tsv": "tsv", "caption and what was measured": "md"}
    links = [(text, f"../figures/{name}.{ending}") for text, ending in forms.items()]
    return doc.Picture(f"../figures/{name}.png", title, links)


def index_document(block: Mapping[str, Any]) -> doc.Document:
    """Return the page: the scorecard, tables and figures by paper, then what made them."""
    parts: list[doc.Part] = []
    if not block["paper"]:
        reservation = (
            "The data are not the papers': nothing here reproduces a paper. Each table says what "
            "may be compared."
        )
        parts.append(doc.Lines([reservation], "notice"))
    card = [("Scorecard", "scorecard.html"), ("tsv", "scorecard.tsv"), ("Markdown", "scorecard.md")]
    title = "Which cells ran, which may be compared with a paper, and how they compare"
    scores = [("all, one row for each metric", "scores.tsv")]
    parts += [doc.Links(card, title), doc.Links(scores, "Scores")]
    for paper, of_paper in block["papers"].items():
        parts.append(doc.Heading(doc.paper_name(paper, block.get("titles", {}))))
        if of_paper["tables"]:
            parts.append(_tables(of_paper["tables"]))
        parts += [_figure(one["id"], one["title"]) for one in of_paper["figures"]]
    seeds = ", ".join(map(str, block["seeds"]))
    terms = {"Data": block["data"], "Seeds of tuning": seeds}
    terms |= {f"Model {model}": note for model, note in sorted(block["models"].items())}
    terms |= {"python": platform.python_version()}
    terms |= {package: _installed(package) for package in PACKAGES.split()}
    columns = (doc.Column("What", doc.LEFT), doc.Column("Which", doc.TEXT))
    rows = [doc.text_row(*pair) for pair in terms.items()]
    parts += [doc.Heading("What made them"), doc.Sheet(columns, [rows], style="notes")]
    return doc.Document("index", "Tables and figures", parts)


def main(argv: list[str] | None = None) -> None:
    block, arguments = read_arguments(argv, __doc__, "output")
    write_text(arguments.output, render(index_document(block), "html"))


if __name__ == "__main__":
    run_command(main)
