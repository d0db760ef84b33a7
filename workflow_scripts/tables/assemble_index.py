"""Write the page that links the tables and says what made them."""

import argparse
import json
import platform
from dataclasses import dataclass
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import write_text
from workflow_scripts.tables.html_page import html_page

# packages whose version can move a score
PACKAGES = (
    "torch",
    "transformers",
    "tokenizers",
    "sentence-transformers",
    "numpy",
    "scipy",
    "faiss-cpu",
    "snakemake",
)
TITLE = "Tables"


@dataclass(frozen=True)
class Index:
    """What the page shows: (id, title) of each table, seeds, data, and a note on each model.

    `paper` says whether the data are the paper's own files.
    """

    tables: tuple[tuple[str, str], ...]
    seeds: tuple[int, ...]
    data: str
    paper: bool
    models: dict[str, str]


def parse_index(text: str) -> Index:
    """Return the index that a JSON object with the keys of `Index` describes.

    A table is {"id": ..., "title": ...}. Raises `UserError` naming the key that is wrong.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"--block: not valid JSON ({error.msg}); give one object") from error
    kinds = {"tables": list, "seeds": list, "data": str, "paper": bool, "models": dict}
    if not isinstance(value, dict) or value.keys() != kinds.keys():
        raise UserError(f"--block: expected an object with the keys {', '.join(kinds)}")
    for key, kind in kinds.items():
        if not isinstance(value[key], kind):
            raise UserError(f"--block: `{key}` must be a {kind.__name__}, not {value[key]!r}")

    def pair(table: Any) -> tuple[str, str]:
        if not isinstance(table, dict) or table.keys() != {"id", "title"}:
            raise UserError(f"--block: `tables` must hold objects of id and title, not {table!r}")
        return str(table["id"]), str(table["title"])

    return Index(
        tables=tuple(map(pair, value["tables"])),
        seeds=tuple(value["seeds"]),
        data=value["data"],
        paper=value["paper"],
        models={str(model): str(note) for model, note in value["models"].items()},
    )


def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that can move a score."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def _terms(terms: dict[str, str]) -> list[str]:
    cells = [
        f'<tr><th scope="row">{escape(term)}</th><td class="text">{escape(text)}</td></tr>'
        for term, text in terms.items()
    ]
    return ["<tbody>", *cells, "</tbody>"]


def render_index(index: Index, versions: dict[str, str]) -> str:
    """Return the page: links to the tables and their other forms, then what made them."""
    lines = [f"<h1>{TITLE}</h1>"]
    if not index.paper:
        lines.append(
            '<p class="notice">The data are not the paper\'s: nothing here reproduces the paper. '
            "Each table says what may be compared.</p>"
        )
    lines.append("<ul>")
    for table, title in index.tables:
        name = escape(table)
        lines.append(
            f'<li><a href="{name}.html">{escape(title)}</a> '
            f'(<a href="{name}.tsv">tsv</a>, <a href="{name}.md">Markdown</a>)</li>'
        )
    lines.append("</ul>")
    lines.append('<p><a href="scores.tsv">All scores, one row for each metric</a></p>')
    lines += ['<table class="notes">', "<caption>What made them</caption>"]
    seeds = ", ".join(map(str, index.seeds))
    lines += _terms({"Data": index.data, "Seeds of tuning": seeds})
    lines += _terms({f"Model {model}": note for model, note in sorted(index.models.items())})
    lines += _terms(versions)
    lines.append("</table>")
    return html_page(TITLE, "\n".join(lines) + "\n")


def main(argv: list[str] | None = None) -> None:
    """Write the index page from its block of config and the installed versions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--block", required=True, help="JSON object: tables, seeds, data, paper, models"
    )
    parser.add_argument("--output", type=Path, required=True, help="the page, html")
    arguments = parser.parse_args(argv)
    write_text(arguments.output, render_index(parse_index(arguments.block), installed_versions()))


if __name__ == "__main__":
    run_command(main)
