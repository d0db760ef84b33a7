"""The pages of a made-up run, by the commands that make those of a real one."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from workflow_scripts.figures import draw_figure
from workflow_scripts.scoring.bootstrap_replicates import write_replicates
from workflow_scripts.scoring.tidy_scores import Score, write_scores
from workflow_scripts.tables import (
    assemble_index,
    assemble_scorecard,
    assemble_scores,
    assemble_table,
)
from workflow_scripts.tables.render import status_script

# what HTML would take for a mark, in every place that a config can fill
HOSTILE = "</script><img src=x onerror=alert(1)> & 'q' \"d\" {{ 7 * 7 }}"
RECIPES = {"base": "none", "mirror": "words"}
VALUES = {"base": 0.30, "mirror": 0.45}
ABOUT = {"machine": f"a processor, 2 cores {HOSTILE}", "commit": "0123456789ab"}
ABOUT |= {"versions": "python 3.11.0, numpy 2.0"}


class MadeRun:
    """A folder `results` with scores, what jobs leave beside them, and pages of all of it."""

    def __init__(self, folder: Path) -> None:
        self.results = folder / "results"
        self.scores: list[str] = []
        self.encoders: set[str] = set()
        self.jobs: set[str] = set()

    def part(self, model: str, recipe: str, dataset: str, seeds: tuple[int, ...]) -> dict[str, Any]:
        """Write the scores of an encoder, and what its jobs leave; return the part of a cell."""
        paths = []
        for seed in seeds:
            encoder = f"{model}/{recipe}/{RECIPES[recipe]}/seed{seed}"
            path = self.results / f"scores/{encoder}/{dataset}.tsv"
            random = np.random.default_rng([seed, *map(ord, dataset + model)])
            value = VALUES[recipe] + 0.2 * random.random()
            ids = (model, recipe, RECIPES[recipe], seed)
            dropped = {"no word": 2}
            row = Score(*ids, dataset, "test", "spearman", value, None, None, 1888, 0.99, dropped)
            write_scores(path, [row])
            draws = random.normal(value, 0.02, 1000)
            write_replicates(path.with_suffix(".npz"), {f"replicates/{dataset}/spearman": draws})
            self.record(f"embed_suite/{encoder}/{dataset}", 1.25)
            self.record(f"score_suite/{encoder}/{dataset}", 0.5)
            if recipe == "mirror":
                self.record(f"tune_encoder/{encoder}", 61.75)
                folder = self.results / f"encoders/{encoder}"
                folder.mkdir(parents=True, exist_ok=True)
                (folder / "README.md").write_text("# A card\n")
                versions = {"torch": "2.12" if seed == 33 else f"2.13 {HOSTILE}"}
                (folder / "encoder.json").write_text(json.dumps({"versions": versions}))
            self.encoders.add(encoder)
            paths.append(str(path))
        self.scores += paths
        return {"dataset": dataset, "metric": "spearman", "scores": paths}

    def record(self, step: str, seconds: float) -> None:
        """Write the log and the benchmark file of a job."""
        self.jobs.add(step)
        about = {"s": f"{seconds:.4f}", "max_rss": "100", **ABOUT}
        for folder, ending, text in (
            ("logs", "log", "done\n"),
            ("benchmarks", "tsv", "\t".join(about) + "\n" + "\t".join(about.values()) + "\n"),
        ):
            file = self.results / f"{folder}/{step}.{ending}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def table(self, name: str, title: str, columns: list[str], comparable: bool) -> dict[str, Any]:
        """Assemble a table of two models, untuned and tuned, and of a row that is not run."""
        differences_from_paper = [] if comparable else ["the data are not the paper's", HOSTILE]
        rows = [{"id": "words", "label": "word vectors", "group": "static", "not_run": HOSTILE}]
        for model in ("bert-en", "mbert"):
            for recipe, seeds in (("base", (0,)), ("mirror", (33, 44))):
                cells = {
                    column: {"parts": [self.part(model, recipe, f"{name}-{column}", seeds)]}
                    | {"differences_from_paper": differences_from_paper, "tolerance": 0.01}
                    for column in columns
                }
                row = {"id": f"{model}-{recipe}", "group": model, "cells": cells}
                tuned = {"label": f"+ Mirror {HOSTILE}", "against": f"{model}-base"}
                rows.append(row | (tuned if recipe == "mirror" else {"label": model}))
        reference = self.results.parent / f"{name}.tsv"
        lines = [
            f"{name}\t{row['id']}\t{column}\t0.5{n}\n"
            for n, row in enumerate(rows)
            for column in columns
        ]
        reference.write_text("table\trow\tcolumn\tvalue\n" + "".join(lines))
        block = {
            **{"id": name, "kind": "scores", "title": title, "average": len(columns) > 1},
            **{"reference": str(reference), "data": f"made up {HOSTILE}", "notes": [HOSTILE]},
            "columns": [{"id": column, "label": column} for column in columns],
            "rows": rows,
        }
        cells = self.results / f"tables/cells/{name}.tsv"
        self.run(assemble_table, name, block, output_prefix=f"tables/{name}", cells=str(cells))
        return {"id": name, "title": title, "task": "Similarity", "cells": str(cells)}

    def figure(self, name: str, title: str) -> dict[str, Any]:
        """Draw a line of two points."""
        points = []
        for size in (100, 1000):
            record = self.results / f"corpora/c{size}.json"
            record.parent.mkdir(parents=True, exist_ok=True)
            record.write_text(json.dumps({"strings": size}))
            part = self.part("bert-en", "mirror", f"size-{size}", (33,))
            points.append(
                {"id": f"s/{size}", "label": f"s {size}", "parts": [part], "record": str(record)}
            )
        block = {
            **{"id": name, "kind": "lines", "title": title, "caption": HOSTILE, "notes": []},
            **{"data": "made up", "reference": None, "x_label": "strings", "y_label": "rho"},
            "series": [{"id": "s", "label": "S", "points": points}],
        }
        cells = self.results / f"figures/cells/{name}.tsv"
        self.run(draw_figure, name, block, output_prefix=f"figures/{name}", cells=str(cells))
        return {"id": name, "title": title, "task": "Similarity", "cells": str(cells)}

    def run(self, step: Any, name: str, block: Any, **outputs: str) -> None:
        """Run a step on a block; outputs are below `results`."""
        file = self.results.parent / f"{name}.json"
        file.write_text(json.dumps(block), encoding="utf-8")
        arguments = ["--block", str(file)]
        for option, path in outputs.items():
            arguments += [f"--{option.replace('_', '-')}", str(self.results / path)]
        step.main(arguments)


def make_results(folder: Path) -> Path:
    """Make the pages of a made-up run in `folder`; return its `results`."""
    made = MadeRun(folder)
    tables = [
        made.table("table01", f"Table 1. Words {HOSTILE}", ["en", "fr", "zh"], comparable=True),
        made.table("table02", "Table 2. Many", [f"l{n:02}" for n in range(30)], comparable=False),
    ]
    own = made.table("mine", "Mine", ["en"], comparable=False)
    figure = made.figure("figure04", f"Figure 4. {HOSTILE}")
    papers = {
        "one": {"tables": tables, "figures": [figure]},
        "own": {"tables": [own], "figures": []},
    }
    titles = {"one": f"Paper {HOSTILE}"}

    def headline(table: str, column: str) -> dict[str, Any]:
        rows = [
            {"row": f"{model}-mirror", "label": "+ Mirror", "models": [model]}
            | {"against": f"{model}-base", "against_label": model}
            for model in ("bert-en", "mbert")
        ]
        return {"table": table, "task": HOSTILE[:30], "column": column, "digits": 3, "rows": rows}

    page = {"titles": titles, "papers": papers, "data": f"made up {HOSTILE}"}
    made.run(assemble_scores, "scores", sorted(made.scores), output="tables/scores.tsv")
    made.run(assemble_scorecard, "scorecard", page, output_prefix="tables/scorecard")
    index = page | {
        "order": ["one"],
        "overview": {"one": [headline("table01", "avg"), headline("table02", "avg")]},
        "scores": sorted(made.scores),
        "encoders": sorted(made.encoders),
        "jobs": sorted(made.jobs),
        "recipes": {"mirror": {"temperature": 0.04, "text": HOSTILE}, "base": {"pooling": "mean"}},
        **{"label": "made up", "seeds": [33, 44], "paper": []},
        "models": {"bert-en": HOSTILE, "mbert": "a multilingual one"},
    }
    outputs = {"output": "index.html", "script": "run.js", "zip": "results.zip"}
    outputs = {option: f"tables/{name}" for option, name in outputs.items()}
    made.run(assemble_index, "index", index, **outputs)
    # as a run leaves it that made everything
    (made.results / "tables/status.js").write_text(status_script({"pages": {}}))
    return made.results
