"""Show the paper's hyper-parameter grid (Table 21) beside the best scores of our searches."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.tables.block_values import (
    LIST,
    OPTIONAL_LIST,
    OPTIONAL_TEXT,
    TEXT,
    check_distinct,
    checked,
    read_object,
    strings,
)
from workflow_scripts.tables.grid_values import (
    HYPER_PARAMETERS,
    PaperAxis,
    Search,
    all_values,
    format_setting,
    paper_axes,
    read_search,
)
from workflow_scripts.tables.listing import (
    LEFT,
    RIGHT,
    Field,
    Listing,
    ListingPage,
    write_listing_page,
)
from workflow_scripts.tables.numbers import format_number
from workflow_scripts.tables.published import read_published

DASH = "–"


@dataclass(frozen=True)
class SearchColumn:
    """A search with its label, or the reason why it was not run."""

    id: str
    label: str
    not_run: str | None


@dataclass(frozen=True)
class GridBlock:
    """What the table shows; `reference` names the file of published values."""

    id: str
    title: str
    reference: str
    notes: tuple[str, ...]
    searches: tuple[SearchColumn, ...]


def parse_block(text: str) -> GridBlock:
    """Return the block of a JSON object: `id title reference notes searches`.

    A search is {"id", "label"} and, if it was not run, the reason `not_run`. Raises `UserError`
    naming the key that is wrong.
    """
    known = {
        "id": TEXT,
        "title": TEXT,
        "reference": TEXT,
        "searches": LIST,
        "notes": OPTIONAL_LIST,
    }
    block = read_object(text, "--block", known)
    where = f"table `{block['id']}`"
    keys = {"id": TEXT, "label": TEXT, "not_run": OPTIONAL_TEXT}
    searches = tuple(
        SearchColumn(**checked(value, f"{where}, search {number}", keys))
        for number, value in enumerate(block["searches"], start=1)
    )
    check_distinct([search.id for search in searches], f"{where}, ids of searches")
    check_distinct([search.label for search in searches], f"{where}, labels of searches")
    notes = strings(block["notes"], f"{where}, notes")
    return GridBlock(block["id"], block["title"], block["reference"], notes, searches)


def _paper_field(axis: PaperAxis, value: float) -> Field:
    if value not in axis.values:
        return Field(DASH)
    levels = axis.levels(value)
    if not levels:
        return Field("tried")
    return Field(f"chosen for {', '.join(levels)} *", is_bold=True)


def _score_field(best: Mapping[float, float], value: float) -> Field:
    if value not in best:
        return Field(DASH)
    shown = {one: format_number(score) for one, score in best.items()}
    # of equal values none is the best
    is_best = len(set(shown.values())) > 1 and shown[value] == format_number(max(best.values()))
    return Field(shown[value], is_bold=is_best)


def _family(
    name: str, axis: PaperAxis, searches: Sequence[Search | None]
) -> tuple[tuple[Field, ...], ...]:
    """Return the rows of a hyper-parameter, one for each value."""
    ran = [search for search in searches if search is not None]
    best = [search.best_by_value(name) if search else {} for search in searches]
    return tuple(
        (
            Field(HYPER_PARAMETERS[name]),
            Field(format_setting(value)),
            _paper_field(axis, value),
            *(_score_field(scores, value) for scores in best),
        )
        for value in all_values(axis, ran, name)
    )


def _search_line(column: SearchColumn, search: Search | None) -> str:
    if search is None:
        return f"{column.label}: not run, {column.not_run}."
    report = search.report
    values, score = max(
        ((values, score) for values, score in search.cells if score is not None),
        key=lambda cell: cell[1],
        default=({}, None),
    )
    found = report["search"]
    scored = sum(score is not None for _, score in search.cells)
    text = (
        f"{column.label}: recipe {found['recipe_name']}, model {found['model']}, corpus "
        f"{found['corpus']}; {found['metric']} on {found['dataset']} of {found['data']}; "
        f"{scored:,} of {len(search.cells):,} cells have a score"
    )
    if score is None:
        return f"{text}."
    settings = ", ".join(
        f"{HYPER_PARAMETERS[name].lower()} {format_setting(value)}"
        for name, value in values.items()
    )
    return f"{text}; the best, {format_number(score)}: {settings}."


def grid_page(
    block: GridBlock, axes: Mapping[str, PaperAxis], searches: Mapping[str, Search]
) -> ListingPage:
    """Return the table: a row for each value of each hyper-parameter, a column for each search."""
    columns = [searches.get(column.id) for column in block.searches]
    lines = ["* and bold: the values with which the paper's results were obtained."]
    if searches:
        lines.append(
            "Ours: the best score on the development set among all cells with that value; bold is "
            "the best of a hyper-parameter. The paper prints no such scores, so there is no "
            "comparison."
        )
    else:
        lines.append("No search of ours was run: the grid is the paper's.")
    return ListingPage(
        id=block.id,
        title=block.title,
        lines=tuple(lines),
        listing=Listing(
            caption="",
            header=(
                "Hyper-parameter",
                "Value",
                "Paper",
                *(column.label for column in block.searches),
            ),
            alignment=(LEFT, RIGHT, LEFT, *[RIGHT] * len(columns)),
            families=tuple(_family(name, axes[name], columns) for name in HYPER_PARAMETERS),
        ),
        notes=(
            *map(_search_line, block.searches, columns),
            *block.notes,
        ),
    )


def _report_of(search: str, ending: str, reports: Sequence[Path]) -> Path:
    name = f"{search}{ending}"
    found = [path for path in reports if path.name == name]
    if len(found) != 1:
        raise UserError(
            f"--reports: {len(found)} files named {name}; give the {name} of search `{search}` once"
        )
    return found[0]


def main(argv: list[str] | None = None) -> None:
    """Read published values and searches and write the table in four forms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--block", required=True, help="JSON object: id, title, notes, reference, searches"
    )
    parser.add_argument("--reference", type=Path, required=True, help="the paper's grid, tsv")
    parser.add_argument(
        "--reports", nargs="*", type=Path, default=[], help="{search}.tsv and {search}.json of each"
    )
    parser.add_argument(
        "--output-prefix", required=True, help="path of the outputs without .tsv, .md, .html, .tex"
    )
    arguments = parser.parse_args(argv)
    block = parse_block(arguments.block)
    axes = paper_axes(read_published(arguments.reference, block.reference), arguments.reference)
    searches = {
        column.id: read_search(
            *(_report_of(column.id, ending, arguments.reports) for ending in (".tsv", ".json"))
        )
        for column in block.searches
        if column.not_run is None
    }
    write_listing_page(arguments.output_prefix, grid_page(block, axes, searches))


if __name__ == "__main__":
    run_command(main)
