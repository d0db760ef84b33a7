"""Scores, the parts and cells of a table's block, and the forms that a block gives."""

import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.scoring.tidy_scores import Score
from workflow_scripts.tables import assemble_table
from workflow_scripts.tables.tidy_cells import TidyCell, read_cells


def make_score(dataset: str, value: float, seed: int = 33, **changes: Any) -> Score:
    """Return a score of a dataset; `changes` are other fields."""
    encoder = {"model": "m", "recipe": "r", "corpus": "c", "seed": seed}
    known = encoder | {"dataset": dataset, "split": "test", "metric": "spearman", "value": value}
    known |= {"low": None, "high": None, "n": 100, "coverage": 1.0, "dropped": {}}
    return Score(**(known | changes))


def part(dataset: str, *scores: str, metric: str = "spearman") -> dict[str, Any]:
    """Return a part of a cell as a table's block has it."""
    return {"dataset": dataset, "metric": metric, "scores": list(scores)}


def cell(*parts: dict[str, Any], tolerance: float = 0.01, **told: tuple[str, ...]) -> Any:
    """Return a cell that runs as a table's block has it."""
    told = {"differences_from_paper": (), **told}
    return {"parts": [*parts], **{key: [*one] for key, one in told.items()}, "tolerance": tolerance}


class Forms(NamedTuple):
    """What the command wrote: the rows of the tsv under its header, the others as they are."""

    header: list[str]
    rows: list[dict[str, str]]
    md: str
    html: str
    tex: str
    cells: list[TidyCell]


def assemble(folder: Path, block: dict[str, Any]) -> Forms:
    """Run the command on a block; the outputs are in the folder `out`."""
    file, prefix = folder / "block.json", folder / "out" / block["id"]
    file.write_text(json.dumps(block), encoding="utf-8")
    cells = folder / "out" / "cells" / f"{block['id']}.tsv"
    outputs = ["--output-prefix", str(prefix), "--cells", str(cells)]
    assemble_table.main(["--block", str(file), *outputs])
    texts = {e: Path(f"{prefix}.{e}").read_text("utf-8") for e in ("tsv", "md", "html", "tex")}
    lines = texts["tsv"].splitlines()
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    header = lines[0].split("\t")
    # the apostrophe is the one sign that templates and tests write in two ways
    page = texts["html"].replace("&#39;", "'")
    return Forms(header, list(rows), texts["md"], page, texts["tex"], read_cells(cells))
