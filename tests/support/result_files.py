"""Made-up scores with their details, and the tables and figures that the commands make of them."""

import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from workflow_scripts.figures import draw_figure
from workflow_scripts.scoring.bootstrap_replicates import write_replicates
from workflow_scripts.scoring.tidy_scores import Score, write_scores
from workflow_scripts.tables import assemble_table
from workflow_scripts.tables.cells import Cell, read_cells

RESAMPLES = 1000


def make_score(dataset: str, value: float, seed: int = 33, **changes: Any) -> Score:
    """Return a score of a dataset; `changes` are other fields."""
    known = {"model": "m", "recipe": "r", "corpus": "c", "seed": seed, "dataset": dataset}
    known |= {"split": "test", "metric": "spearman", "value": value, "low": None, "high": None}
    return Score(**(known | {"n": 100, "coverage": 1.0, "dropped": {}} | changes))


def part(dataset: str, *scores: str, metric: str = "spearman") -> dict[str, Any]:
    """Return a part of a cell as a block has it."""
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
    cells: list[Cell]


class MadeResults:
    """A folder of inputs that grows as blocks are made, and what commands write to `out`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def file(self, name: str) -> str:
        """Return the path of a file of the folder."""
        return str(self.folder / name)

    def text(self, name: str, lines: list[str]) -> str:
        """Write a text file, a string a line."""
        Path(self.file(name)).write_text("".join(line + "\n" for line in lines))
        return self.file(name)

    def published(self, table: str, values: dict[tuple[str, str], Any]) -> str:
        """Write a file of published values."""
        lines = [f"{table}\t{row}\t{column}\t{v}" for (row, column), v in values.items()]
        return self.text(f"{table}.tsv", ["table\trow\tcolumn\tvalue", *lines])

    def scores(
        self,
        name: str,
        values: dict[int, float],
        dataset: str = "words-en",
        metric: str = "spearman",
        spread: float | None = 0.02,
        arrays: dict[int, dict[str, np.ndarray]] | None = None,
        noise: int | None = None,
        **ids: str,
    ) -> dict[str, Any]:
        """Write a scores file and its details for each seed; return the part that they make.

        Replicates lie around the value with a standard deviation of `spread`, by the generator of
        seed `noise`, else of the encoder's; None leaves them out.
        """
        paths = []
        for seed, value in values.items():
            path = Path(self.file(f"{name}-seed{seed}.tsv"))
            known = {"metric": metric, "corpus": name} | ids
            write_scores(path, [make_score(dataset, value, seed, **known)])
            details = dict((arrays or {}).get(seed, {}))
            if spread is not None:
                random = np.random.default_rng(seed if noise is None else noise)
                draws = random.normal(value, spread, RESAMPLES)
                details[f"replicates/{dataset}/{metric}"] = draws
            write_replicates(path.with_suffix(".npz"), details)
            paths.append(str(path))
        return part(dataset, *paths, metric=metric)

    def run(self, step: Any, block: dict[str, Any]) -> list[str]:
        """Run the command that makes a table or figure of a block; return its arguments."""
        file = self.folder / "block.json"
        file.write_text(json.dumps(block), encoding="utf-8")
        outputs = {
            "--output-prefix": f"out/{block['id']}",
            "--cells": f"out/cells/{block['id']}.tsv",
        }
        arguments = ["--block", str(file)]
        for option, name in outputs.items():
            arguments += [option, self.file(name)]
        step.main(arguments)
        return arguments

    def draw(self, block: dict[str, Any]) -> list[str]:
        return self.run(draw_figure, block)

    def assemble(self, block: dict[str, Any]) -> Forms:
        """Return the forms of a table."""
        self.run(assemble_table, block)
        name = block["id"]
        tsv, md, html, tex = (self.output(f"{name}.{end}") for end in ("tsv", "md", "html", "tex"))
        # the apostrophe is the one sign that templates and tests write in two ways
        page = html.replace("&#39;", "'")
        cells = read_cells(self.file(f"out/cells/{name}.tsv"))
        header = tsv.splitlines()[0].split("\t")
        return Forms(header, self.rows(f"{name}.tsv"), md, page, tex, cells)

    def rows(self, name: str) -> list[dict[str, str]]:
        """Return the rows of an output."""
        lines = self.output(name).splitlines()
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))

    def output(self, name: str) -> str:
        """Return the text of an output."""
        return (self.folder / "out" / name).read_text(encoding="utf-8")
