"""Write the page that shows the scorecard, tables and figures and says what made them."""

import argparse
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import run_command
from workflow_scripts.files import write_text
from workflow_scripts.tables.block_values import LIST, OPTIONAL_LIST, TEXT, read_object, titles
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
TITLE = "Tables and figures"


@dataclass(frozen=True)
class Index:
    """What the page shows: titles of tables and figures by id, seeds, data, a note on each model.

    `paper` says whether the data are the paper's own files.
    """

    tables: dict[str, str]
    figures: dict[str, str]
    seeds: tuple[int, ...]
    data: str
    paper: bool
    models: dict[str, str]


_INDEX = {
    "tables": LIST,
    "figures": OPTIONAL_LIST,
    "seeds": LIST,
    "data": TEXT,
    "paper": Option((bool,)),
    "models": Option((dict,)),
}


def parse_index(text: str) -> Index:
    """Return the index that a JSON object with the keys of `Index` describes.

    A table or figure is {"id": ..., "title": ...}. Raises `UserError` naming the key that is wrong.
    """
    block = read_object(text, "--block", _INDEX)
    return Index(
        tables=titles(block["tables"], "--block: `tables`"),
        figures=titles(block["figures"] or [], "--block: `figures`"),
        seeds=tuple(block["seeds"]),
        data=block["data"],
        paper=block["paper"],
        models={str(model): str(note) for model, note in block["models"].items()},
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


def _link(address: str, text: str) -> str:
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def _forms(prefix: str, forms: Mapping[str, str]) -> str:
    return ", ".join(_link(f"{prefix}.{ending}", name) for ending, name in forms.items())


def _table_items(tables: Mapping[str, str]) -> list[str]:
    forms = {"tsv": "tsv", "md": "Markdown", "tex": "LaTeX"}
    return [
        f"<li>{_link(f'{name}.html', title)} ({_forms(name, forms)})</li>"
        for name, title in tables.items()
    ]


def _figure(name: str, title: str) -> list[str]:
    prefix = f"../figures/{name}"
    forms = {"svg": "svg", "tsv": "numbers, tsv", "md": "caption and what was measured"}
    picture = f'<img src="{escape(prefix)}.png" alt="{escape(title)}">'
    return [
        "<figure>",
        f'<a href="{escape(prefix)}.png">{picture}</a>',
        f"<figcaption>{escape(title)} ({_forms(prefix, forms)})</figcaption>",
        "</figure>",
    ]


def _terms(terms: Mapping[str, str]) -> list[str]:
    cells = [
        f'<tr><th scope="row">{escape(term)}</th><td class="text">{escape(text)}</td></tr>'
        for term, text in terms.items()
    ]
    return ["<tbody>", *cells, "</tbody>"]


def render_index(index: Index, versions: Mapping[str, str]) -> str:
    """Return the page: the scorecard, links to the tables, the figures, then what made them."""
    lines = [f"<h1>{TITLE}</h1>"]
    if not index.paper:
        lines.append(
            '<p class="notice">The data are not the paper\'s: nothing here reproduces the paper. '
            "Each table says what may be compared.</p>"
        )
    card = _forms("scorecard", {"tsv": "tsv", "md": "Markdown"})
    lines.append(
        f"<p>{_link('scorecard.html', 'Scorecard')}: which cells ran, which of them may be "
        f"compared with the paper, and how they compare ({card})</p>"
    )
    lines += ["<h2>Tables</h2>", "<ul>", *_table_items(index.tables), "</ul>"]
    lines.append(f"<p>{_link('scores.tsv', 'All scores, one row for each metric')}</p>")
    if index.figures:
        lines.append("<h2>Figures</h2>")
        for name, title in index.figures.items():
            lines += _figure(name, title)
    lines.append("<h2>What made them</h2>")
    lines.append('<table class="notes">')
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
        "--block", required=True, help="JSON object: tables, figures, seeds, data, paper, models"
    )
    parser.add_argument("--output", type=Path, required=True, help="the page, html")
    arguments = parser.parse_args(argv)
    write_text(arguments.output, render_index(parse_index(arguments.block), installed_versions()))


if __name__ == "__main__":
    run_command(main)
