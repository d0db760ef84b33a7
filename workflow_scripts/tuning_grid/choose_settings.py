"""Command of rule `choose_settings`: join the slices of a search, rank and report its cells."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import read_json, write_json, write_text
from workflow_scripts.tuning_grid.cells import CellScore, grid_cells
from workflow_scripts.tuning_grid.ranking import RankedCell, marginal_means, rank_cells
from workflow_scripts.tuning_grid.search_report import write_report, write_table


def describe(cell: RankedCell) -> dict[str, Any]:
    shown = {key: getattr(cell, key) for key in ("mean", "deviation", "rank")}
    return {"settings": cell.cell.settings, "seeds": cell.scores, **shown}


def choose(
    search: dict[str, Any], scores: Sequence[CellScore], own_cell: int | None
) -> tuple[list[RankedCell], dict[str, Any]]:
    """Return the cells, best first, and {best, recipe_settings, untuned, cells, ranked}.

    In `own_cell`, where there is one, all axes have the recipe's own values.
    """
    cells = grid_cells(dict(search["axes"]))
    common = search["recipe"].get("epochs", 0)
    epochs = {cell.number: cell.settings.get("epochs", common) for cell in cells}
    ranked = rank_cells(cells, scores, epochs)
    if ranked[0].rank is None:
        why = f"the first: {ranked[0].reason}"
        problem = f"none of {len(cells)} cells has a score for every seed ({why})"
        raise UserError(f"search {search['name']}", problem, "change the axes")
    own = next((cell for cell in ranked if cell.cell.number == own_cell), None)
    return ranked, {
        "best": describe(ranked[0]),
        "recipe_settings": None if own is None else describe(own),
        "untuned": next(score.value for score in scores if score.cell is None),
        "cells": len(cells),
        "ranked": sum(cell.rank is not None for cell in ranked),
    }


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--block", required=True, help="the search as JSON")
    parser.add_argument("--slices", nargs="+", required=True, type=Path, help="scores, json")
    parser.add_argument("--table", required=True, type=Path, help="output: all cells, tsv")
    parser.add_argument("--record", required=True, type=Path, help="output: best settings, json")
    parser.add_argument("--report", required=True, type=Path, help="output: page, md")
    arguments = parser.parse_args(argv)
    search = json.loads(arguments.block)
    own_cell, axes = search.pop("own_cell"), dict(search["axes"])
    slices = [read_json(path) for path in arguments.slices]
    record = slices[0]["record"]
    for path, content in zip(arguments.slices, slices, strict=True):
        if content["record"] != record:
            raise UserError(
                path,
                f"made with other files or versions than {arguments.slices[0]}",
                "delete both slices and run the workflow again",
            )
    scores = [CellScore(**score) for content in slices for score in content["scores"]]
    ranked, result = choose(search, scores, own_cell)
    means = marginal_means(axes, ranked)
    write_text(arguments.table, write_table(list(axes), ranked))
    write_json(arguments.record, {"search": search, **result, **record})
    write_text(arguments.report, write_report(search, record, ranked, means, result))


if __name__ == "__main__":
    run_command(main)
