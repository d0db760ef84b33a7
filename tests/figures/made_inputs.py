"""Made-up scores, details, corpora and data sets, and the blocks of figures that use them."""

import json
from itertools import product
from typing import Any

import numpy as np
from result_files import MadeResults, make_score

from tests.support.suite_files import write_items, write_whole_vectors
from workflow_scripts.embedding.suite_vectors import index_of
from workflow_scripts.scoring.evidence import Predictions
from workflow_scripts.scoring.metrics import auc
from workflow_scripts.scoring.tidy_scores import read_scores, write_scores
from workflow_scripts.scoring.weighted_metrics import value_of


class MadeFigure(MadeResults):
    """A folder of inputs of figures that grows as blocks are made."""

    def pairs(
        self, name: str, seeds: tuple[int, ...], shift: float, scale: float = 0.15, n: int = 400
    ) -> dict[str, Any]:
        """Write scores and details of a pair classification data set `qnli`; return the parts."""
        values, arrays = {}, {}
        for seed in seeds:
            random = np.random.default_rng(seed + round(1000 * shift))
            labels = (np.arange(n) % 2).astype(np.int8)
            cosines = random.normal(0.5 + shift * scale * labels, scale).clip(-1, 1)
            cosines = cosines.astype(np.float32)
            values[seed] = value_of(auc.metric(Predictions(n=n, predicted=cosines, gold=labels)), n)
            arrays[seed] = {"cosines/qnli": cosines, "labels/qnli": labels}
        return {"parts": [self.scores(name, values, "qnli", "auc", arrays=arrays)]}

    def record(self, name: str, strings: int) -> str:
        """Write the record of a corpus."""
        return self.text(f"{name}.json", [json.dumps({"strings": strings})])

    def dataset(self, pairs: list[tuple[str, str]]) -> dict[str, str]:
        """Write strings and items of a data set of task similarity, words-en."""
        strings = sorted({word for pair in pairs for word in pair})
        left, right = ([strings.index(pair[side]) for pair in pairs] for side in (0, 1))
        entry = {"dataset": "words-en", "task": "similarity", "left": left, "right": right}
        items = self.text("items.json", [json.dumps(entry | {"gold": [0.0] * len(pairs)})])
        return {"items": items, "strings": self.text("strings.txt", strings)}


def outer(kind: str, **content: Any) -> dict[str, Any]:
    """Return a block of a kind."""
    fixed = {"id": f"figure-{kind}", "kind": kind, "title": f"A figure of {kind}"}
    return fixed | {"caption": "A.", "notes": [], "reference": None, "data": "made up"} | content


def roc_block(made: MadeFigure) -> dict[str, Any]:
    """Return ROC curves of two families and one that was not run."""
    seeds, departs = (33, 44, 55), ["other model"]
    curves = [
        {
            "id": name,
            "label": label,
            "group": name.split("-")[0],
            "differences_from_paper": differences_from_paper,
        }
        | {"tolerance": 0.01, **made.pairs(name, seeds_of, shift)}
        for name, label, differences_from_paper, seeds_of, shift in (
            ("bert", "BERT, CLS", [], (0,), 0.1),
            ("bert-mp", "BERT, mean of tokens", [], (0,), 0.3),
            ("bert-mirror", "BERT + Mirror", departs, seeds, 0.7),
            ("roberta", "RoBERTa, CLS", [], (0,), 0.05),
            ("roberta-mirror", "RoBERTa + Mirror", [], seeds, 0.85),
        )
    ]
    curves.append({"id": "sbert", "label": "SBERT", "not_run": "needs a model that is not here"})
    return outer("roc", dataset="qnli", curves=curves)


def lines_block(made: MadeFigure) -> dict[str, Any]:
    """Return three lines, a point of which was not run."""
    sizes = (1000, 2000, 5000, 10000, 20000, 50000, 100000)

    def series(name: str, label: str, dataset: str, metric: str, start: float) -> dict[str, Any]:
        points = []
        for number, size in enumerate(sizes):
            value = start + 0.03 * number - 0.006 * number**2
            values = {33: value - 0.01, 44: value + 0.004, 55: value + 0.006}
            point = {"id": f"{name}/n{size}", "label": f"{label}, n{size}"}
            parts = [made.scores(f"{name}-{size}", values, dataset, metric)]
            record = made.record(f"{name}-{size}", size)
            points.append(point | {"record": record, "parts": parts})
        return {"id": name, "label": label, "points": points}

    names = "PubMedBERT, COMETA (stratified), accuracy@1"
    lines = [
        series("words", "BERT, Multi-SimLex (en), Spearman's ρ", "words-en", "spearman", 0.5),
        series("names", names, "cometa", "accuracy@1", 0.6),
        series("sentences", "RoBERTa, STS12, Spearman's ρ", "sts12", "spearman", 0.63),
    ]
    last = lines[2]["points"].pop()
    reason = {"not_run": "fewer strings than that"}
    lines[2]["points"].append({"id": last["id"], "label": last["label"]} | reason)
    axes = {"x_label": "Corpus size (strings, log scale)"}
    return outer("lines", series=lines, y_label="Score (Spearman's ρ or accuracy@1)", **axes)


def cosines_block(made: MadeFigure) -> dict[str, Any]:
    """Return three panels and one that was not run."""

    def panel(name: str, label: str, shift: float, scale: float) -> dict[str, Any]:
        return {"id": name, "label": label, **made.pairs(name, (33, 44), shift, scale, 1000)}

    panels = [
        panel("cls", "BERT, CLS", 0.3, 0.03),
        panel("mean", "BERT, mean of tokens", 0.6, 0.05),
        panel("mirror", "BERT + Mirror", 1.5, 0.16),
        {"id": "none", "label": "RoBERTa", "not_run": "no RoBERTa"},
    ]
    return outer("cosines", dataset="qnli", panels=panels)


def buckets_block(made: MadeFigure, number: int = 10) -> dict[str, Any]:
    """Return buckets of 10 words, of which 20, 18, ... are in the data set, two words a pair."""
    words = {b: [f"word{b}x{i}" for i in range(40)] for b in range(number)}
    known = [word for b in range(number) for word in words[b][: 40 - 4 * b]]
    known += ["unheard"] * (len(known) % 2) + ["Ghost", "ghoul"]
    buckets = []
    for b in range(number):
        scores = made.scores(f"b{b}", {33: 0.5 - 0.01 * b, 44: 0.51 - 0.012 * b})
        bucket = {"id": f"b{b}", "label": f"{10 * b + 1}k–{10 * b + 10}k", "parts": [scores]}
        buckets.append(bucket | {"corpus": made.text(f"b{b}.txt", words[b])})
    buckets.append({"id": "b99", "label": "100k–110k", "not_run": "the list ends"})
    files = made.dataset(list(zip(known[::2], known[1::2], strict=True)))
    axes = {"x_label": "Words tuned on, by rank of frequency", "y_label": "Score (Spearman's ρ)"}
    return outer("buckets", **axes, **files, dataset="words-en", buckets=buckets)


def languages_block(made: MadeFigure, sizes: dict[str, int] | None = None) -> dict[str, Any]:
    """Return two encoders, each with and without PCR, and one that was not run."""
    sizes = sizes or {"de": 40, "en": 30, "es": 40, "fr": 40, "ja": 40, "ko": 40, "zh": 40}
    columns = []
    for number, (name, label) in enumerate((("mbert", "mBERT"), ("ours", "CMLM+BR, tuned"))):
        for pcr in ("", "_pcr"):
            own = 0.8 - 0.3 * number if not pcr else 0.2
            seeds = (33, 44) if number else (0,)
            scores = made.scores(f"{name}{pcr}", dict.fromkeys(seeds, own), "pool", own_of(pcr))
            for seed, path in zip(seeds, scores["scores"], strict=True):
                rest = []
                for query, other in product(sizes, sizes):
                    share = own if other == query else (1 - own) / (len(sizes) - 1)
                    metric = f"share{pcr}@10/{query}/{other}"
                    rest.append(make_score("pool", share, seed, metric=metric, n=sizes[query]))
                write_scores(path, [*read_scores(path), *rest])
            known = {"id": f"{name}{'/pcr' if pcr else ''}", "label": label + " + PCR" * bool(pcr)}
            columns.append(known | {"metric": own_of(pcr), "parts": [scores]})
    reason = {"metric": own_of(""), "not_run": "no XLM"}
    columns.append({"id": "xlm", "label": "XLM"} | reason)
    shown = {"dataset": "pool", "neighbours": 10, "languages": None}
    return outer("retrieved-languages", **shown, columns=columns)


def own_of(pcr: str) -> str:
    return f"own_language{pcr}@10"


def translations_block(made: MadeFigure, pairs: int = 40, **more: Any) -> dict[str, Any]:
    """Return panels of two encoders and two languages, one of which was not run."""
    random = np.random.default_rng(0)
    columns = [{"id": "fr", "label": "French"}, {"id": "ru", "label": "Russian"}]
    rows = [{"id": "mbert", "label": "mBERT"}, {"id": "ours", "label": "CMLM+BR"}]
    sides = {"left": list(range(pairs)), "right": list(range(pairs, 2 * pairs))}
    names = [column["id"] for column in columns]
    entries = {name: {"task": "bitext-retrieval", **sides} for name in names}
    items = dict(zip(names, map(str, write_items(made.folder, entries)), strict=True))
    panels = []
    for row in rows:
        vectors, meaning = made.file(f"{row['id']}.npy"), random.normal(size=(pairs, 8))
        both = np.float32([*(meaning + 2), *(meaning + random.normal(size=(pairs, 8)))])
        write_whole_vectors(vectors, both, *names)
        for column in columns:
            name = f"{row['id']}/{column['id']}"
            panel = {"id": name, "label": f"{row['label']}, {column['label']}"}
            part = made.scores(name.replace("/", "-"), {33: 0.4}, column["id"], "accuracy")
            read = {"vectors": vectors, "index": str(index_of(vectors))}
            read |= {"items": items[column["id"]], "parts": [part]}
            panels.append(panel | {"dataset": column["id"]} | read)
    panels[-1] = {key: panels[-1][key] for key in ("id", "label", "dataset")} | {"not_run": "none"}
    shown = {"method": "pca", "pairs": 15, "rows": rows, "columns": columns}
    return outer("translations", **shown | more, panels=panels)


BLOCKS = {"roc": roc_block, "lines": lines_block, "cosines": cosines_block}
BLOCKS |= {"buckets": buckets_block, "retrieved-languages": languages_block}
BLOCKS |= {"translations": translations_block}
