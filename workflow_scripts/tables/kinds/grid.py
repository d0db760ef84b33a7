"""The paper's grid of hyper-parameters (Table 21) next to the best scores of our searches."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from workflow_scripts.configuration.blocks import Id
from workflow_scripts.tables import document as doc
from workflow_scripts.tables import grid_values as grid
from workflow_scripts.tables.cells import Cell
from workflow_scripts.tables.config import TableBlock
from workflow_scripts.tables.numbers import format_number
from workflow_scripts.tables.published import read_published


class Config(TableBlock):
    """A table of the tuning grid; it always stands next to published values."""

    reference: Id = Field(description="File of the paper's grid in config/reference/<paper>.")


def resolve(config: Config, cells: Any, run: Any) -> dict[str, Any]:
    return {"searches": run.grid_searches(), "folder": f"{run.results}/tuning_grid"}


def files(block: dict[str, Any]) -> list[str]:
    prefixes = [f"{block['folder']}/{search}" for search in block["searches"]]
    return [f"{prefix}.{form}" for prefix in prefixes for form in ("tsv", "json")]


def _paper_cell(axis: grid.PaperAxis, value: float) -> doc.Text:
    if value not in axis.values:
        return doc.Text(doc.DASH)
    levels = [level for level, chosen in axis.chosen.items() if chosen == value]
    return doc.Text(f"chosen for {', '.join(levels)} *", rank=1) if levels else doc.Text("tried")


def _score_cell(best: Mapping[float, float], value: float) -> doc.Text:
    if value not in best:
        return doc.Text(doc.DASH)
    shown = {value: format_number(score) for value, score in best.items()}
    # of equal values none is the best
    is_best = len(set(shown.values())) > 1 and shown[value] == format_number(max(best.values()))
    return doc.Text(shown[value], rank=1 if is_best else None)


def _family(name: str, axis: grid.PaperAxis, searches: Sequence[grid.Search]) -> list[doc.Row]:
    """Return the rows of a hyper-parameter: the paper's values in its order, then ours, rising."""
    tried = {values[name] for search in searches for values, _ in search.cells}
    best = [search.best_by_value(name) for search in searches]
    rows = []
    for value in (*axis.values, *sorted(tried - set(axis.values))):
        head = (doc.Text(grid.HYPER_PARAMETERS[name]), doc.Text(grid.format_setting(value)))
        scores = (_score_cell(scores, value) for scores in best)
        rows.append(doc.Row((*head, _paper_cell(axis, value), *scores)))
    return rows


def _search_line(label: str, search: grid.Search) -> str:
    report = search.report["search"]
    scored = [(values, score) for values, score in search.cells if score is not None]
    text = (
        f"{label}: recipe {report['recipe_name']}, model {report['model']}, corpus "
        f"{report['corpus']}; {report['metric']} on {report['dataset']} of {report['data']}; "
        f"{len(scored):,} of {len(search.cells):,} cells have a score"
    )
    if not scored:
        return f"{text}."
    values, score = max(scored, key=lambda cell: cell[1])
    names = grid.HYPER_PARAMETERS
    settings = (f"{names[n].lower()} {grid.format_setting(v)}" for n, v in values.items())
    return f"{text}; the best, {format_number(score)}: {', '.join(settings)}."


def assemble(block: dict[str, Any]) -> tuple[doc.Document, list[Cell]]:
    """Return the table; it has no cells to compare: the paper prints no scores of its searches."""
    axes = grid.paper_axes(read_published(block["reference"]), block["reference"])
    paths = iter(files(block))
    names = [name.replace("-", " ") for name in block["searches"]]
    searches = {name: grid.read_search(next(paths), next(paths)) for name in names}
    lines = ["* and bold: the values with which the paper's results were obtained."]
    lines += [
        "Ours: the best score on the development set among all cells with that value; bold "
        "marks the best value of a hyper-parameter. The paper prints no such scores, so "
        "nothing is compared."
        if searches
        else "No search was run: the grid is the paper's."
    ]
    columns = [doc.Column("Hyper-parameter", doc.LEFT), doc.Column("Value")]
    columns += [doc.Column("Paper", doc.LEFT), *map(doc.Column, searches)]
    shown = [*searches.values()]
    families = [_family(name, axes[name], shown) for name in grid.HYPER_PARAMETERS]
    sheet = doc.Sheet(columns, families)
    notes = [*(_search_line(*search) for search in searches.items()), *block["notes"]]
    return doc.table_document(block["id"], block["title"], lines, sheet, notes), []
