"""The pages of a made-up run, by the commands that make those of a real one."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from command_words import as_argv
from result_files import cell, make_score, part

from workflow_scripts.figures import draw_figure
from workflow_scripts.scoring.bootstrap_replicates import write_replicates
from workflow_scripts.scoring.tidy_scores import write_scores
from workflow_scripts.tables import (
    assemble_index,
    assemble_scorecard,
    assemble_scores,
    assemble_table,
)
from workflow_scripts.tables.render import status_script

# what HTML would take for a mark, in every place that a config can fill
HOSTILE = "</script><img src=x onerror=alert(1)> & 'q' \"d\" {{ 7 * 7 }}"
MODELS = ("bert-en", "mbert")
RECIPES = {"base": "none", "mirror": "words"}
VALUES = {"base": 0.30, "mirror": 0.45}
ABOUT = {"machine": f"a processor, 2 cores {HOSTILE}", "commit": "0123456789ab"}
ABOUT |= {"versions": "python 3.11.0, numpy 2.0"}


class MadeRun:
    """A folder `results` with scores, the files that jobs leave next to them, and all pages."""

    def __init__(self, folder: Path) -> None:
        self.results = folder / "results"
        self.scores: list[str] = []
        self.encoders: set[str] = set()
        self.jobs: set[str] = set()

    def part(self, model: str, recipe: str, dataset: str, seeds: tuple[int, ...]) -> dict[str, Any]:
        """Write the scores of an encoder, and what its jobs leave; return the part of a cell."""
        paths, corpus = [], RECIPES[recipe]
        for seed in seeds:
            encoder = f"{model}/{recipe}/{corpus}/seed{seed}"
            path = self.results / f"scores/{encoder}/{dataset}.tsv"
            random = np.random.default_rng([seed, *map(ord, dataset + model)])
            value = VALUES[recipe] + 0.2 * random.random()
            known = {"model": model, "recipe": recipe, "corpus": corpus, "n": 1888}
            known |= {"coverage": 0.99, "dropped": {"no word": 2}}
            write_scores(path, [make_score(dataset, value, seed, **known)])
            draws = random.normal(value, 0.02, 1000)
            write_replicates(path.with_suffix(".npz"), {f"replicates/{dataset}/spearman": draws})
            self.record(f"embed_suite/{encoder}/{dataset}", 1.25)
            self.record(f"score_suite/{encoder}/{dataset}", 0.5)
            if recipe == "mirror":
                self.record(f"tune_encoder/{encoder}", 61.75)
                self.write(f"encoders/{encoder}/README.md", "# A card\n")
                versions = {"torch": "2.12" if seed == 33 else f"2.13 {HOSTILE}"}
                self.write(f"encoders/{encoder}/encoder.json", json.dumps({"versions": versions}))
            self.encoders.add(encoder)
            paths.append(str(path))
        self.scores += paths
        return part(dataset, *paths)

    def write(self, name: str, text: str) -> str:
        """Write a file of the results."""
        file = self.results / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return str(file)

    def record(self, step: str, seconds: float) -> None:
        """Write the log and the benchmark file of a job."""
        self.jobs.add(step)
        about = {"s": f"{seconds:.4f}", "max_rss": "100", **ABOUT}
        self.write(f"logs/{step}.log", "done\n")
        lines = ("\t".join(about), "\t".join(about.values()), "")
        self.write(f"benchmarks/{step}.tsv", "\n".join(lines))

    def table(self, name: str, title: str, columns: list[str], comparable: bool) -> dict[str, Any]:
        """Assemble a table of two models, untuned and tuned, and of a row that is not run."""
        differences = () if comparable else ("the data are not the paper's", HOSTILE)
        rows: list[dict[str, Any]] = [
            {"id": "words", "label": "word vectors", "group": "static", "not_run": HOSTILE}
        ]
        for model, (recipe, seeds) in product(MODELS, (("base", (0,)), ("mirror", (33, 44)))):
            parts = {key: self.part(model, recipe, f"{name}-{key}", seeds) for key in columns}
            cells = {
                key: cell(one, differences_from_paper=differences) for key, one in parts.items()
            }
            tuned = {"label": f"+ Mirror {HOSTILE}", "against": f"{model}-base"}
            known = tuned if recipe == "mirror" else {"label": model}
            rows.append({"id": f"{model}-{recipe}", "group": model, "cells": cells} | known)
        lines = ["table\trow\tcolumn\tvalue\n"]
        for (number, row), column in product(enumerate(rows), columns):
            lines.append(f"{name}\t{row['id']}\t{column}\t0.5{number}\n")
        block = {
            **{"kind": "scores", "average": len(columns) > 1, "notes": [HOSTILE], "rows": rows},
            "reference": self.write(f"../{name}.tsv", "".join(lines)),
            **{"data": f"made up {HOSTILE}", "columns": [{"id": c, "label": c} for c in columns]},
        }
        return self.page("tables", assemble_table, {"id": name, "title": title} | block)

    def figure(self, name: str, title: str) -> dict[str, Any]:
        """Draw a line of two points."""
        points = []
        for size in (100, 1000):
            known = {"id": f"s/{size}", "label": f"s {size}"}
            known["record"] = self.write(f"corpora/c{size}.json", json.dumps({"strings": size}))
            parts = [self.part("bert-en", "mirror", f"size-{size}", (33,))]
            points.append(known | {"parts": parts})
        block = {
            **{"kind": "lines", "caption": HOSTILE, "notes": [], "data": "made up"},
            **{"reference": None, "x_label": "strings", "y_label": "rho"},
            "series": [{"id": "s", "label": "S", "points": points}],
        }
        return self.page("figures", draw_figure, {"id": name, "title": title} | block)

    def page(self, section: str, step: Any, block: dict[str, Any]) -> dict[str, Any]:
        """Make a table or figure; return what pages of everything say of it."""
        name, cells = block["id"], f"{section}/cells/{block['id']}.tsv"
        self.run(step, name, block, output_prefix=f"{section}/{name}", cells=cells)
        entry = {"id": name, "title": block["title"], "task": "Similarity"}
        return entry | {"cells": str(self.results / cells)}

    def run(self, step: Any, name: str, block: Any, **outputs: str) -> None:
        """Run a step on a block; outputs are below `results`."""
        block = self.write(f"../{name}.json", json.dumps(block))
        paths = {option: self.results / path for option, path in outputs.items()}
        step.main(as_argv({"block": block, **paths}))


def make_results(folder: Path) -> Path:
    """Make the pages of a made-up run in `folder`; return its `results`."""
    made = MadeRun(folder)
    tables = [
        made.table("table01", f"Table 1. Words {HOSTILE}", ["en", "fr", "zh"], comparable=True),
        made.table("table02", "Table 2. Many", [f"l{n:02}" for n in range(30)], comparable=False),
    ]
    own = made.table("mine", "Mine", ["en"], comparable=False)
    figure = made.figure("figure04", f"Figure 4. {HOSTILE}")
    papers = {"one": {"tables": tables, "figures": [figure]}}
    papers["own"] = {"tables": [own], "figures": []}

    def headline(table: str, column: str) -> dict[str, Any]:
        rows = [
            {"row": f"{model}-mirror", "label": "+ Mirror", "models": [model]}
            | {"against": f"{model}-base", "against_label": model}
            for model in MODELS
        ]
        known = {"percent": False, "lower_is_better": False, "rows": rows}
        return {"table": table, "task": HOSTILE[:30], "column": column, **known}

    page = {"titles": {"one": f"Paper {HOSTILE}"}, "papers": papers, "data": f"made up {HOSTILE}"}
    made.run(assemble_scores, "scores", sorted(made.scores), output="tables/scores.tsv")
    made.run(assemble_scorecard, "scorecard", page, output_prefix="tables/scorecard")
    index = page | {
        "order": ["one"],
        "overview": {"one": [headline("table01", "avg"), headline("table02", "avg")]},
        "scores": sorted(made.scores),
        "encoders": sorted(made.encoders),
        "trained": {},
        "jobs": sorted(made.jobs),
        "recipes": {"mirror": {"temperature": 0.04, "text": HOSTILE}, "base": {"pooling": "mean"}},
        **{"label": "made up", "seeds": [33, 44], "paper": []},
        "models": {"bert-en": HOSTILE, "mbert": "a multilingual one"},
    }
    outputs = {"output": "index.html", "script": "run.js", "zip": "results.zip"}
    outputs = {option: f"tables/{name}" for option, name in outputs.items()}
    made.run(assemble_index, "index", index, **outputs)
    # as a run leaves it that made everything
    made.write("tables/status.js", status_script({"pages": {}}))
    return made.results
