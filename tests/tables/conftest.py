"""A small table with comparable, not comparable and not run cells, its score and details files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from table_files import cell, make_score, part

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
def make_table(tmp_path: Path) -> Callable[..., list[str]]:
    """Write scores and a reference into `tmp_path`; return the arguments of assemble_table.

    `comparable` are the rows without departures, `details` asks for bootstrap replicates too.
    """

    def make(comparable: tuple[str, ...] = (), details: bool = False, **changes: Any) -> list[str]:
        paths: dict[str, list[str]] = {}
        spread = np.random.default_rng(5).normal(0, 0.03, (2, REPLICATES))
        for (row, seed), values in VALUES.items():
            path = tmp_path / f"{row}-{seed}.tsv"
            paths.setdefault(row, []).append(str(path))
            names = ("words-en", "words-fr")
            scores = [
                make_score(n, v, seed, recipe=row) for n, v in zip(names, values, strict=True)
            ]
            write_scores(path, scores)
            if details:
                arrays = {
                    f"replicates/{name}/spearman": value + own
                    for name, value, own in zip(names, values, spread, strict=True)
                }
                np.savez(path.with_suffix(".npz"), **arrays)

        def row(name: str, label: str, group: str, **others: Any) -> dict[str, Any]:
            departures = () if name in comparable else ("a <small> model", "the sampler")
            cells = {
                column: cell(part(f"words-{column}", *paths[name]), departures=departures)
                for column in ("en", "fr")
            }
            known = {"id": name, "label": label, "group": group}
            return known | {"cells": cells | others.pop("cells", {})} | others

        no_french = {"fr": {"not_run": "no French <model>"}}
        block = {
            "id": "table01",
            "title": "Words | <rho>",
            "reference": "table01",
            "average": True,
            "notes": ["A *note* & more"],
            "columns": [{"id": c, "label": c.upper()} for c in ("en", "fr")],
            "rows": [
                {"id": "fasttext", "label": "fastText", "not_run": "no vectors"},
                row("bert-mp", "BERT-mp", "mono"),
                row("bert-mirror", "+ Mirror", "mono", against="bert-mp"),
                row("mbert-mirror", "+ Mirror", "multi", cells=no_french),
            ],
        } | changes
        reference = tmp_path / "reference.tsv"
        lines = ["table\trow\tcolumn\tvalue"]
        lines += [f"table01\t{r}\t{c}\t{v}" for (r, c), v in PUBLISHED.items()]
        reference.write_text("\n".join(lines) + "\n")
        files = sorted(path for files in paths.values() for path in files)
        return [
            "--table-json",
            json.dumps(block, sort_keys=True),
            "--scores",
            *files,
            "--details",
            *(str(Path(path).with_suffix(".npz")) for path in files if details),
            "--reference",
            str(reference),
            "--data-note",
            "the sampler",
            "--cells",
            str(tmp_path / "out" / "cells" / "table01.tsv"),
            "--output-prefix",
            str(tmp_path / "out" / "table01"),
        ]

    return make
