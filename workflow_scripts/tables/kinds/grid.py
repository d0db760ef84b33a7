"""The paper's grid of hyper-parameters (Table 21) next to the best scores of our searches."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from pydantic import Field

from workflow_scripts.configuration.blocks import Id
from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_json
from workflow_scripts.tables import document as doc
from workflow_scripts.tables.cells import Cell
from workflow_scripts.tables.config import TableBlock
from workflow_scripts.tables.numbers import format_number
from workflow_scripts.tables.published import read_published
from workflow_scripts.tuning.recipe import change_recipe, tuning_recipe_of

# keys of a recipe that the paper's grid is made of, in its order
HYPER_PARAMETERS = {
    "learning_rate": "Learning rate",
    "batch_size": "Batch size",
    "epochs": "Epochs",
    "temperature": "Temperature",
}
LEVELS = ("word", "phrase", "sentence")


class PaperAxis(NamedTuple):
    """The paper's search space of a hyper-parameter and the value chosen for each level."""

    values: tuple[float, ...]
    chosen: dict[str, float]


class Search(NamedTuple):
    """A search of ours: its report; values of the hyper-parameters and mean score of each cell."""

    report: dict[str, Any]
    cells: tuple[tuple[dict[str, float], float | None], ...]

    def best_by_value(self, name: str) -> dict[float, float]:
        """Return the best score among the cells that hold each value of a hyper-parameter."""
        best: dict[float, float] = {}
        for values, score in self.cells:
            if score is not None:
                best[values[name]] = max(score, best.get(values[name], -math.inf))
        return best


class Config(TableBlock):
    """A table of the tuning grid; it always stands next to published values."""

    reference: Id = Field(description="File of the paper's grid in config/reference/<paper>.")


def resolve(config: Config, cells: Any, run: Any) -> dict[str, Any]:
    return {"searches": run.grid_searches(), "folder": f"{run.results}/tuning_grid"}


def files(block: dict[str, Any]) -> list[str]:
    prefixes = [f"{block['folder']}/{search}" for search in block["searches"]]
    return [f"{prefix}.{form}" for prefix in prefixes for form in ("tsv", "json")]


def paper_axes(published: Mapping[tuple[str, str], Decimal], path: str) -> dict[str, PaperAxis]:
    """Return the paper's axes from columns value1, value2, ... and chosen-LEVEL; or `UserError`."""
    axes = {}
    for name in HYPER_PARAMETERS:
        columns = {column: float(v) for (row, column), v in published.items() if row == name}
        numbered = [column for column in columns if re.fullmatch(r"value\d+", column)]
        if not numbered:
            raise UserError(path, f"no row `{name}` with a column value1", "add the paper's values")
        values = sorted(numbered, key=lambda column: int(column.removeprefix("value")))
        named = {level: f"chosen-{level}" for level in LEVELS}
        chosen = {level: columns[name] for level, name in named.items() if name in columns}
        axes[name] = PaperAxis(tuple(columns[column] for column in values), chosen)
    return axes


def read_search(table: str, report: str) -> Search:
    """Return a search from what `choose_settings` wrote; what it did not vary is the recipe's."""
    content, cells = read_json(report), []
    with damaged_file_error(f"{report} or {table}"):
        search = content["search"]
        axes = [axis for axis, _ in search["axes"]]
        recipe = change_recipe(search["recipe"], search["set"])
        for _, (rank, *row, mean) in read_rows(table, Layout(["rank", *axes, "mean"])):
            settings = {axis: json.loads(text) for axis, text in zip(axes, row, strict=True)}
            choices = tuning_recipe_of(search["recipe_name"], change_recipe(recipe, settings))
            values = {name: float(getattr(choices, name)) for name in HYPER_PARAMETERS}
            cells.append((values, float(mean) if rank else None))
    return Search(content, tuple(cells))


def format_setting(value: float) -> str:
    """Return a value of a hyper-parameter as the paper writes it: 2e-5, 200, 0.04."""
    return re.sub(r"e-0*", "e-", f"{value:g}")


def _paper_cell(axis: PaperAxis, value: float) -> doc.Text:
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


def _family(name: str, axis: PaperAxis, searches: Sequence[Search]) -> list[doc.Row]:
    """Return the rows of a hyper-parameter: the paper's values in its order, then ours, rising."""
    tried = {values[name] for search in searches for values, _ in search.cells}
    best = [search.best_by_value(name) for search in searches]
    rows = []
    for value in (*axis.values, *sorted(tried - set(axis.values))):
        head = (doc.Text(HYPER_PARAMETERS[name]), doc.Text(format_setting(value)))
        scores = (_score_cell(scores, value) for scores in best)
        rows.append(doc.Row((*head, _paper_cell(axis, value), *scores)))
    return rows


def _search_line(label: str, search: Search) -> str:
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
    settings = (f"{HYPER_PARAMETERS[n].lower()} {format_setting(v)}" for n, v in values.items())
    return f"{text}; the best, {format_number(score)}: {', '.join(settings)}."


def assemble(block: dict[str, Any]) -> tuple[doc.Document, list[Cell]]:
    """Return the table; it has no cells to compare: the paper prints no scores of its searches."""
    axes = paper_axes(read_published(block["reference"]), block["reference"])
    paths = iter(files(block))
    names = [name.replace("-", " ") for name in block["searches"]]
    searches = {name: read_search(next(paths), next(paths)) for name in names}
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
    families = [_family(name, axes[name], shown) for name in HYPER_PARAMETERS]
    sheet = doc.Sheet(columns, families)
    notes = [*(_search_line(*search) for search in searches.items()), *block["notes"]]
    return doc.table_document(block["id"], block["title"], lines, sheet, notes), []
