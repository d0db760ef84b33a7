"""Made-up scores, details, corpora and suites, and the blocks of figures that use them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from workflow_scripts.scoring.details import write_details
from workflow_scripts.scoring.pair_classification import area_under_curve
from workflow_scripts.scoring.tidy_scores import Score, write_scores

RESAMPLES = 1000


class MadeFigure:
    """A folder of inputs that grows as blocks are made, and the arguments of the command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.given: dict[str, list[str]] = {
            option: [] for option in ("--scores", "--details", "--records", "--texts")
        }

    def file(self, name: str, option: str) -> str:
        """Return the path of a file of the folder, given to the command with an option."""
        path = str(self.folder / name)
        self.given[option] = sorted({*self.given[option], path})
        return path

    def scores(
        self,
        name: str,
        values: dict[int, float],
        dataset: str = "words-en",
        metric: str = "spearman",
        spread: float | None = 0.02,
        arrays: dict[int, dict[str, np.ndarray]] | None = None,
    ) -> list[str]:
        """Write a scores file and its details for each seed; return the scores files.

        Replicates lie around the value with a standard deviation of `spread`; None leaves them out.
        """
        paths = []
        for seed, value in values.items():
            path = self.file(f"{name}-seed{seed}.tsv", "--scores")
            row = Score("m", "r", name, seed, dataset, "test", metric, value, None, None, 100, 1.0)
            write_scores(path, [row])
            found = dict((arrays or {}).get(seed, {}))
            if spread is not None:
                draws = np.random.default_rng(seed).normal(value, spread, RESAMPLES)
                found[f"replicates/{dataset}/{metric}"] = draws
            write_details(self.file(f"{name}-seed{seed}.npz", "--details"), found)
            paths.append(path)
        return paths

    def pairs(
        self, name: str, seeds: tuple[int, ...], shift: float, scale: float = 0.15, n: int = 400
    ) -> dict[str, list[str]]:
        """Write scores and details of a pair classification data set `qnli`, AUC included."""
        values, arrays = {}, {}
        for seed in seeds:
            random = np.random.default_rng(seed + round(1000 * shift))
            labels = (np.arange(n) % 2).astype(np.int8)
            cosines = random.normal(0.5 + shift * scale * labels, scale).clip(-1, 1)
            cosines = cosines.astype(np.float32)
            values[seed] = area_under_curve(cosines, labels)
            arrays[seed] = {"cosines/qnli": cosines, "labels/qnli": labels}
        paths = self.scores(name, values, "qnli", "auc", arrays=arrays)
        return {"scores": paths, "details": [path[:-4] + ".npz" for path in paths]}

    def record(self, name: str, strings: int) -> str:
        """Write the record of a corpus."""
        path = self.file(f"{name}.json", "--records")
        Path(path).write_text(json.dumps({"strings": strings}))
        return path

    def text(self, name: str, lines: list[str]) -> str:
        """Write a text file, a string a line."""
        path = self.file(name, "--texts")
        Path(path).write_text("".join(line + "\n" for line in lines))
        return path

    def suite(self, pairs: list[tuple[str, str]], dataset: str = "words-en") -> dict[str, str]:
        """Write strings and items of a suite with one similarity data set."""
        strings = sorted({word for pair in pairs for word in pair})
        left, right = ([strings.index(pair[side]) for pair in pairs] for side in (0, 1))
        entry = {"task": "similarity", "left": left, "right": right, "gold": [0.0] * len(pairs)}
        items = self.text("items.json", [json.dumps({"datasets": {dataset: entry}})])
        return {"items": items, "strings": self.text("strings.txt", strings)}

    def arguments(self, block: dict[str, Any], *more: str) -> list[str]:
        """Return the arguments of the command for a block."""
        found = ["--block", json.dumps(block)]
        for option, files in self.given.items():
            found += [option, *files]
        prefix = self.folder / "out" / block["id"]
        cells = self.folder / "out" / "cells" / f"{block['id']}.tsv"
        return [*found, "--output-prefix", str(prefix), "--cells", str(cells), *more]

    def output(self, name: str) -> str:
        """Return the text of an output."""
        return (self.folder / "out" / name).read_text(encoding="utf-8")


def outer(kind: str, **content: Any) -> dict[str, Any]:
    """Return a block of a kind."""
    fixed = {
        "id": f"figure-{kind}",
        "kind": kind,
        "title": f"A figure of {kind}",
        "caption": "A caption.",
        "notes": [],
        "reference": None,
    }
    return fixed | content


def roc_block(made: MadeFigure) -> dict[str, Any]:
    """Return ROC curves of two families and one that was not run."""

    def curve(name: str, label: str, group: str, *departures: str, **files: Any) -> dict[str, Any]:
        return {
            "id": name,
            "label": label,
            "group": group,
            "departures": [*departures],
            **files,
        }

    return outer(
        "roc",
        dataset="qnli",
        curves=[
            curve("bert", "BERT, CLS", "bert", **made.pairs("bert", (0,), 0.1)),
            curve("bert-mp", "BERT, mean of tokens", "bert", **made.pairs("bert-mp", (0,), 0.3)),
            curve(
                "bert-mirror",
                "BERT + Mirror",
                "bert",
                "other model",
                **made.pairs("bert-mirror", (33, 44, 55), 0.7),
            ),
            curve("roberta", "RoBERTa, CLS", "roberta", **made.pairs("roberta", (0,), 0.05)),
            curve(
                "roberta-mirror",
                "RoBERTa + Mirror",
                "roberta",
                **made.pairs("roberta-mirror", (33, 44, 55), 0.85),
            ),
            {"id": "sbert", "label": "SBERT", "not_run": "needs a model that is not here"},
        ],
    )


def lines_block(made: MadeFigure) -> dict[str, Any]:
    """Return three lines, a point and a line that were not run."""
    sizes = (1000, 2000, 5000, 10000, 20000, 50000, 100000)

    def series(name: str, label: str, dataset: str, metric: str, start: float) -> dict[str, Any]:
        points = []
        for number, size in enumerate(sizes):
            value = start + 0.03 * number - 0.006 * number**2
            values = {33: value - 0.01, 44: value + 0.004, 55: value + 0.006}
            files = made.scores(f"{name}-{size}", values, dataset, metric)
            part = {"dataset": dataset, "metric": metric, "scores": files}
            points.append(
                {
                    "id": f"n{size}",
                    "record": made.record(f"{name}-{size}", size),
                    "parts": [part],
                }
            )
        return {"id": name, "label": label, "points": points}

    words = series("words", "BERT, Multi-SimLex (en), Spearman's ρ", "words-en", "spearman", 0.5)
    names = series(
        "names", "PubMedBERT, COMETA (stratified), accuracy@1", "cometa", "accuracy@1", 0.6
    )
    sentences = series("sentences", "RoBERTa, STS12, Spearman's ρ", "sts12", "spearman", 0.63)
    sentences["points"][-1] = {"id": "n100000", "not_run": "fewer strings than that"}
    return outer(
        "lines",
        x_label="Corpus size (strings, log scale)",
        y_label="Score (Spearman's ρ or accuracy@1)",
        series=[
            words,
            names,
            sentences,
            {"id": "other", "label": "A line too many", "not_run": "no data"},
        ],
    )


def cosines_block(made: MadeFigure) -> dict[str, Any]:
    """Return three panels and one that was not run."""

    def panel(name: str, label: str, shift: float, scale: float) -> dict[str, Any]:
        files = made.pairs(name, (33, 44), shift, scale, 1000)
        return {"id": name, "label": label, "details": files["details"]}

    return outer(
        "cosines",
        dataset="qnli",
        panels=[
            panel("cls", "BERT, CLS", 0.3, 0.03),
            panel("mean", "BERT, mean of tokens", 0.6, 0.05),
            panel("mirror", "BERT + Mirror", 1.5, 0.16),
            {"id": "none", "label": "RoBERTa", "not_run": "no RoBERTa"},
        ],
    )


def buckets_block(made: MadeFigure, number: int = 10) -> dict[str, Any]:
    """Return buckets of 10 words, of which 20, 18, ... are in the data set, two words a pair."""
    words = {b: [f"word{b}x{i}" for i in range(40)] for b in range(number)}
    known = [word for b in range(number) for word in words[b][: 40 - 4 * b]]
    known += ["unheard"] * (len(known) % 2) + ["Ghost", "ghoul"]
    buckets = []
    for b in range(number):
        files = made.scores(f"b{b}", {33: 0.5 - 0.01 * b, 44: 0.51 - 0.012 * b})
        buckets.append(
            {
                "id": f"b{b}",
                "label": f"{10 * b + 1}k–{10 * b + 10}k",
                "corpus": made.text(f"b{b}.txt", words[b]),
                "parts": [{"dataset": "words-en", "metric": "spearman", "scores": files}],
            }
        )
    pairs = list(zip(known[::2], known[1::2], strict=True))
    return outer(
        "buckets",
        x_label="Words tuned on, by rank of frequency",
        y_label="Score (Spearman's ρ)",
        dataset="words-en",
        **made.suite(pairs),
        buckets=[*buckets, {"id": "b99", "label": "100k–110k", "not_run": "the list ends"}],
    )


BLOCKS = {
    "roc": roc_block,
    "lines": lines_block,
    "cosines": cosines_block,
    "buckets": buckets_block,
}
