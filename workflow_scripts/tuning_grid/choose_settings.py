"""Command of rule `choose_settings`: join the slices of a search, rank its cells, report the best.

Writes a table of all cells (tsv), the best settings with what they were found with (json) and a
page to read (md).
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import read_json, write_json, write_text
from workflow_scripts.tuning.recipe_changes import change_recipe
from workflow_scripts.tuning.recipes import Recipe, parse_recipe
from workflow_scripts.tuning_grid.cells import Cell, grid_cells
from workflow_scripts.tuning_grid.ranking import (
    RankedCell,
    check_complete,
    marginal_means,
    rank_cells,
)
from workflow_scripts.tuning_grid.search_report import write_report, write_table
from workflow_scripts.tuning_grid.slice_scores import CellScore, read_slice


def read_record(paths: Sequence[Path]) -> dict[str, Any]:
    """Return the record that all slices share; `UserError` naming two that differ."""
    records = {path: read_json(path) for path in paths}
    first = paths[0]
    for path, record in records.items():
        if record != records[first]:
            raise UserError(
                f"{path}: made with other files or versions than {first}; "
                "delete both slices and run the workflow again"
            )
    return records[first]


def describe(cell: RankedCell) -> dict[str, Any]:
    """Return a cell for the JSON record."""
    return {
        "settings": cell.cell.settings,
        "mean": cell.mean,
        "deviation": cell.deviation,
        "seeds": cell.scores,
        "rank": cell.rank,
    }


def choose(search: dict[str, Any], scores: Sequence[CellScore]) -> tuple[list[RankedCell], Any]:
    """Return the cells, best first, and {best, recipe_settings, untuned, cells, ranked}.

    `recipe_settings` is the cell where all axes have the recipe's own values, None if there is
    none. Raises `UserError` if a score is missing, there twice, or no cell could be ranked.
    """
    cells = grid_cells(dict(search["axes"]))
    place = f"search {search['name']}"
    check_complete(cells, search["seeds"], scores, place)
    recipes = {cell.number: _recipe_of(search, cell) for cell in cells}
    epochs = {number: recipe.mirror.epochs for number, recipe in recipes.items() if recipe.mirror}
    ranked = rank_cells(cells, scores, epochs)
    if ranked[0].rank is None:
        raise UserError(
            f"{place}: none of {len(cells)} cells has a score for every seed; "
            f"the first: {ranked[0].reason}; change the axes"
        )
    own = parse_recipe(search["recipe_name"], search["recipe"])
    return ranked, {
        "best": describe(ranked[0]),
        "recipe_settings": next(
            (describe(one) for one in ranked if recipes[one.cell.number] == own), None
        ),
        "untuned": next(score.value for score in scores if score.cell is None),
        "cells": len(cells),
        "ranked": sum(one.rank is not None for one in ranked),
    }


def _recipe_of(search: dict[str, Any], cell: Cell) -> Recipe:
    return parse_recipe(search["recipe_name"], change_recipe(search["recipe"], cell.settings))


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--block", required=True, help="the search as JSON")
    parser.add_argument("--slices", nargs="+", required=True, type=Path, help="scores, tsv")
    parser.add_argument("--records", nargs="+", required=True, type=Path, help="their json")
    parser.add_argument("--table", required=True, type=Path, help="output: all cells, tsv")
    parser.add_argument("--record", required=True, type=Path, help="output: best settings, json")
    parser.add_argument("--report", required=True, type=Path, help="output: page, md")
    arguments = parser.parse_args(argv)
    try:
        search = json.loads(arguments.block)
    except json.JSONDecodeError as error:
        raise UserError(f"--block: not valid JSON ({error.msg})") from error
    axes = dict(search["axes"])
    cells = grid_cells(axes)
    record = read_record(arguments.records)
    scores = [s for path in arguments.slices for s in read_slice(path, list(axes), cells)]
    ranked, result = choose(search, scores)
    means = marginal_means(axes, ranked)
    write_text(arguments.table, write_table(list(axes), ranked))
    write_json(arguments.record, {"search": search, **result, **record})
    write_text(arguments.report, write_report(search, record, ranked, means, result))


if __name__ == "__main__":
    run_command(main)
