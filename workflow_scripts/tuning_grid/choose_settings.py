"""Command of rule `choose_settings`: join the slices of a search, rank and report its cells."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workflow_scripts.command_main import run_command
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, write_json, write_text
from workflow_scripts.path_functions import command
from workflow_scripts.tuning_grid.cells import CellScore, grid_cells
from workflow_scripts.tuning_grid.ranking import RankedCell, marginal_means, rank_cells
from workflow_scripts.tuning_grid.search_report import write_report, write_table


def describe(cell: RankedCell) -> dict[str, Any]:
    shown = {key: getattr(cell, key) for key in ("mean", "deviation", "rank")}
    return {"settings": cell.settings, "seeds": cell.scores, **shown}


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
    own = next((cell for cell in ranked if cell.number == own_cell), None)
    return ranked, {
        "best": describe(ranked[0]),
        "recipe_settings": None if own is None else describe(own),
        "untuned": next(score.value for score in scores if score.cell is None),
        "cells": len(cells),
        "ranked": sum(cell.rank is not None for cell in ranked),
    }


def join_slices(paths: Sequence[Path]) -> tuple[dict[str, Any], list[CellScore]]:
    """Return the record and the scores of the slices of a search.

    Raises `UserError` for a slice that was made with other files or versions than the first.
    """
    slices = [read_json(path) for path in paths]
    record = slices[0]["record"]
    for path, part in zip(paths, slices, strict=True):
        if part["record"] != record:
            raise UserError(
                path,
                f"made with different files or versions than {paths[0]}",
                "delete both slices and run the workflow again",
            )
    return record, [CellScore(**score) for part in slices for score in part["scores"]]


def choose_settings(
    *, block: dict[str, Any], slices: Sequence[Path], table: Path, record: Path, report: Path
) -> None:
    """Join the slices of a search, rank and report its cells.

    Args:
        block: the search as JSON
        slices: scores, json
        table: output: all cells, tsv
        record: output: best settings, json
        report: output: page, md
    """
    search = {key: value for key, value in block.items() if key != "own_cell"}
    axes = dict(search["axes"])
    made_with, scores = join_slices(slices)
    ranked, result = choose(search, scores, block["own_cell"])
    means = marginal_means(axes, ranked)
    write_text(table, write_table(list(axes), ranked))
    write_json(record, {"search": search, **result, **made_with})
    write_text(report, write_report(search, made_with, ranked, means, result))


main = command(choose_settings)

if __name__ == "__main__":
    run_command(main)
