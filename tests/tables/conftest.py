"""A small table with comparable, not comparable and not run cells, its score and details files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from table_files import Forms, assemble, cell, make_score, part

from workflow_scripts.scoring.tidy_scores import write_scores

# values of (row, seed) in the columns en, fr
VALUES = {
    ("bert-mp", 0): (0.25, 0.125),
    ("bert-mirror", 33): (0.5, 0.25),
    ("bert-mirror", 44): (0.75, 0.25),
    ("mbert-mirror", 33): (0.5, 0.5),
}
PUBLISHED = {
    ("fasttext", "en"): "0.528",
    ("bert-mp", "en"): "0.267",
    ("bert-mp", "avg"): "0.201",
    ("bert-mirror", "en"): "0.556",
    ("bert-mirror", "fr"): "0.245",
    ("bert-mirror", "avg"): "0.471",
}
REPLICATES = 1000


@pytest.fixture
def make_table(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Write scores and a reference into `tmp_path`; return the block of a table.

    `comparable` are the rows without differences from the paper, `details` asks for bootstrap
    replicates too.
    """

    def make(comparable: tuple[str, ...] = (), details: bool = False, **changes: Any) -> Any:
        paths: dict[str, list[str]] = {}
        spread = np.random.default_rng(5).normal(0, 0.03, (2, REPLICATES))
        for (row, seed), values in VALUES.items():
            path = tmp_path / f"{row}-{seed}.tsv"
            paths.setdefault(row, []).append(str(path))
            found = dict(zip(("words-en", "words-fr"), values, strict=True))
            write_scores(path, [make_score(n, v, seed, recipe=row) for n, v in found.items()])
            draws = zip(found.items(), spread, strict=True) if details else ()
            arrays = {f"replicates/{name}/spearman": value + own for (name, value), own in draws}
            np.savez(path.with_suffix(".npz"), **arrays)

        def row(name: str, label: str, group: str, **others: Any) -> dict[str, Any]:
            differences_from_paper = (
                () if name in comparable else ("a <small> model", "the sample data")
            )
            parts = {column: part(f"words-{column}", *paths[name]) for column in ("en", "fr")}
            cells = {
                column: cell(one, differences_from_paper=differences_from_paper)
                for column, one in parts.items()
            }
            return {"id": name, "label": label, "group": group, "cells": cells} | others

        multi = row("mbert-mirror", "+ Mirror", "multi")
        multi["cells"]["fr"] = {"not_run": "no French <model>"}
        reference = tmp_path / "table01.tsv"
        lines = [f"table01\t{r}\t{c}\t{v}\n" for (r, c), v in PUBLISHED.items()]
        reference.write_text("".join(["table\trow\tcolumn\tvalue\n", *lines]))
        return {
            **{"id": "table01", "kind": "scores", "title": "Words | <rho>", "average": True},
            **{
                "reference": str(reference),
                "data": "the sample data",
                "notes": ["A *note* & more"],
            },
            "columns": [{"id": c, "label": c.upper()} for c in ("en", "fr")],
            "rows": [
                {"id": "fasttext", "label": "fastText", "not_run": "no vectors"},
                row("bert-mp", "BERT-mp", "mono"),
                row("bert-mirror", "+ Mirror", "mono", against="bert-mp"),
                multi,
            ],
        } | changes

    return make


@pytest.fixture
def assembled(make_table: Callable[..., Any], tmp_path: Path) -> Callable[..., Forms]:
    """What the command makes of the table of `make_table`."""
    return lambda **changes: assemble(tmp_path, make_table(**changes))
