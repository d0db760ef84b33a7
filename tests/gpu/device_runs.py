"""The device that these tests are about, small corpora of every method, and how runs compare."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from tiny_models import make_sentences

from workflow_scripts.corpora.pair_lines import LABELS
from workflow_scripts.tuning.tune_encoder import make_encoder

# `cuda` takes a model of BERT-base's shape; `cpu` a tiny one, so that the tests run everywhere
DEVICE = os.environ.get("TEST_DEVICE", "cpu")
ON_GPU = DEVICE == "cuda"
# 2**-20 is a MiB
MIB = 2**20

_COMMON = {"pooling": "mean", "max_length": 24, "embed_max_length": 24, "batch_size": 8}
_COMMON |= {"dropout": 0.0, "precision": "float32"}
_CMLM = {"projections": 3, "bitext": {"corpus": "pairs"}, "optimiser": "lamb"}
# by method: what its recipe says more, and the corpora that it reads
METHODS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "mirror": ({"epochs": 1, "temperature": 0.1}, ["strings"]),
    "simcse": ({}, ["strings"]),
    "tsdae": ({}, ["strings"]),
    "cmlm": (_CMLM, ["text", "pairs"]),
    "mlm": ({"next_sentence": True}, ["text"]),
    "quickthought": ({}, ["text"]),
    "bitext": ({}, ["pairs"]),
    "nli": ({}, ["inference"]),
    "classify": ({}, ["classes"]),
}
STEPS = 3


def write_corpora(folder: Path) -> Path:
    """Write a file of each kind of corpus, for a few steps; return the folder."""
    strings = make_sentences(8 * STEPS)
    others = make_sentences(16 * STEPS)[8 * STEPS :]
    pairs = list(zip(strings, others, strict=True))
    documents = [strings[start : start + 4] for start in range(0, len(strings), 4)]
    labels = [LABELS[row % 3] for row in range(len(strings))]
    lines = {
        "strings": strings,
        "text": [line for document in documents for line in [*document, ""]],
        "pairs": ["||".join(pair) for pair in pairs],
        "inference": ["||".join([*row, label]) for row, label in zip(pairs, labels, strict=True)],
        "classes": ["||".join(row) for row in zip(strings, labels, strict=True)],
    }
    for name, own in lines.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in own))
    return folder


def recipe_of(method: str, **changes: Any) -> dict[str, Any]:
    """Return a recipe of a few steps, without dropout and in float32, except for `changes`."""
    steps = {} if method == "mirror" else {"steps": STEPS}
    return {"method": method, **_COMMON, **steps, **METHODS[method][0], **changes}


class Tuned(NamedTuple):
    """Weights by name, on the processor, and the losses of the first and the last step."""

    weights: dict[str, torch.Tensor]
    first_loss: float
    last_loss: float


def tune(method: str, model: Path, corpora: Path, device: str, **changes: Any) -> Tuned:
    """Tune `model` by a method on `device`."""
    first, *more = [str(corpora / f"{name}.txt") for name in METHODS[method][1]]
    options: dict[str, Any] = {"threads": torch.get_num_threads(), "device": device}
    recipe = recipe_of(method, **changes)
    encoder = make_encoder(
        *(str(model), first, "own", recipe, 33, None), more_corpora=more, **options
    )
    weights = {name: own.cpu() for name, own in encoder.loaded.model.state_dict().items()}
    losses = encoder.record["tuning"]
    return Tuned(weights, losses["first_loss"], losses["last_loss"])


def moved_apart(
    start: Mapping[str, torch.Tensor],
    expected: Mapping[str, torch.Tensor],
    actual: Mapping[str, torch.Tensor],
) -> float:
    """Return the size of `actual` - `expected` as a share of that of `expected` - `start`.

    Not of biases of keys: their gradient is 0 up to rounding, which Adam scales up.
    """
    apart, moved = 0.0, 0.0
    for name in expected.keys() & start.keys():
        if not name.endswith("key.bias") and expected[name].is_floating_point():
            before, one, other = (own[name].double() for own in (start, expected, actual))
            apart += (other - one).square().sum().item()
            moved += (one - before).square().sum().item()
    return (apart / moved) ** 0.5


def relative_difference(expected: float, actual: float) -> float:
    return abs(actual - expected) / abs(expected)
