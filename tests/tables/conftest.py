"""A small table with comparable, not comparable and not run cells, its score and details files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from result_files import Forms, MadeResults, cell

COLUMNS = ("en", "fr")
# values in the columns, by row and seed
VALUES = {
    "bert-mp": {0: (0.25, 0.125)},
    "bert-mirror": {33: (0.5, 0.25), 44: (0.75, 0.25)},
    "mbert-mirror": {33: (0.5, 0.5)},
}
PUBLISHED = {
    ("fasttext", "en"): "0.528",
    ("bert-mp", "en"): "0.267",
    ("bert-mp", "avg"): "0.201",
    ("bert-mirror", "en"): "0.556",
    ("bert-mirror", "fr"): "0.245",
    ("bert-mirror", "avg"): "0.471",
}


@pytest.fixture
def made(tmp_path: Path) -> MadeResults:
    """An empty folder of inputs."""
    return MadeResults(tmp_path)


@pytest.fixture
def make_table(made: MadeResults) -> Callable[..., dict[str, Any]]:
    """Write scores and a reference; return the block of a table.

    `comparable` are the rows without differences from the paper, `details` asks for bootstrap
    replicates too: those of a column differ by a constant.
    """

    def make(comparable: tuple[str, ...] = (), details: bool = False, **changes: Any) -> Any:
        def row(name: str, label: str, group: str, **others: Any) -> dict[str, Any]:
            differences = () if name in comparable else ("a <small> model", "the sample data")
            cells = {}
            for n, column in enumerate(COLUMNS):
                values = {seed: of_seed[n] for seed, of_seed in VALUES[name].items()}
                known = {"recipe": name, "corpus": "c", "noise": 5 + n}
                known["spread"] = 0.03 if details else None
                one = made.scores(f"{name}-{column}", values, f"words-{column}", **known)
                cells[column] = cell(one, differences_from_paper=differences)
            return {"id": name, "label": label, "group": group, "cells": cells} | others

        multi = row("mbert-mirror", "+ Mirror", "multi")
        multi["cells"]["fr"] = {"not_run": "no French <model>"}
        return {
            **{"id": "table01", "kind": "scores", "title": "Words | <rho>", "average": True},
            "reference": made.published("table01", PUBLISHED),
            **{"data": "the sample data", "notes": ["A *note* & more"]},
            "columns": [{"id": column, "label": column.upper()} for column in COLUMNS],
            "rows": [
                {"id": "fasttext", "label": "fastText", "not_run": "no vectors"},
                row("bert-mp", "BERT-mp", "mono"),
                row("bert-mirror", "+ Mirror", "mono", against="bert-mp"),
                multi,
            ],
        } | changes

    return make


@pytest.fixture
def assembled(make_table: Callable[..., Any], made: MadeResults) -> Callable[..., Forms]:
    """What the command makes of the table of `make_table`."""
    return lambda **changes: made.assemble(make_table(**changes))
