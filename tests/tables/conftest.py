"""A small table with comparable, not comparable and not run cells, and its score files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workflow_scripts.scoring.tidy_scores import Score, write_scores

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
    ("bert-mirror", "fr"): "0.621",
    ("bert-mirror", "avg"): "0.471",
}


@pytest.fixture
def make_table(tmp_path: Path) -> Callable[..., list[str]]:
    """Write scores and a reference into `tmp_path`; return the arguments of assemble_table."""

    def make(comparable: tuple[str, ...] = (), **changes: Any) -> list[str]:
        paths: dict[str, list[str]] = {}
        for (row, seed), values in VALUES.items():
            path = tmp_path / f"{row}-{seed}.tsv"
            paths.setdefault(row, []).append(str(path))
            write_scores(
                path,
                [
                    Score(
                        "m",
                        row,
                        "c",
                        seed,
                        f"words-{lang}",
                        "test",
                        "spearman",
                        v,
                        None,
                        None,
                        100,
                        1,
                        {},
                    )
                    for lang, v in zip(("en", "fr"), values, strict=True)
                ],
            )

        def row(name: str, label: str, group: str, **cells: Any) -> dict[str, Any]:
            found = {c: {"scores": paths[name]} for c in ("en", "fr")} | cells
            return {
                "id": name,
                "label": label,
                "group": group,
                "comparable": name in comparable,
                "cells": found,
            }

        block = {
            "id": "table01",
            "title": "Words | <rho>",
            "reference": "table01",
            "average": True,
            "notes": ["A *note* & more"],
            "columns": [
                {"id": c, "label": c.upper(), "dataset": f"words-{c}", "metric": "spearman"}
                for c in ("en", "fr")
            ],
            "rows": [
                {"id": "fasttext", "label": "fastText", "not_run": "no vectors"},
                row("bert-mp", "BERT-mp", "mono"),
                row("bert-mirror", "+ Mirror", "mono"),
                row("mbert-mirror", "+ Mirror", "multi", fr={"not_run": "no French <model>"}),
            ],
        } | changes
        reference = tmp_path / "reference.tsv"
        lines = ["table\trow\tcolumn\tvalue"]
        lines += [f"table01\t{r}\t{c}\t{v}" for (r, c), v in PUBLISHED.items()]
        reference.write_text("\n".join(lines) + "\n")
        return [
            "--table-json",
            json.dumps(block, sort_keys=True),
            "--scores",
            *sorted(path for files in paths.values() for path in files),
            "--reference",
            str(reference),
            "--data-note",
            "the sampler",
            "--output-prefix",
            str(tmp_path / "out" / "table01"),
        ]

    return make
