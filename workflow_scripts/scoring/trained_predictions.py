"""What SentEval's classifiers, trained on fixed vectors, say of the test items of a data set."""

import copy
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from scipy.stats import pearsonr

from workflow_scripts.embedding.own_classifier import OwnClassifier
from workflow_scripts.embedding.suite_vectors import StringVectors
from workflow_scripts.embedding.torch_setup import fresh_linear
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.suite_files import gather_rows
from workflow_scripts.scoring.linear_probe import PROTOCOLS, SEED, Protocol
from workflow_scripts.scoring.own_predictions import own_predictions
from workflow_scripts.scoring.senteval import folds_then_test, nested_folds, split_then_test

# SICK's scores; the network gives each a share (Tai et al. 2015)
_SCORES = np.arange(1, 6)
_BATCH_SIZE, _EPOCHS, _TENACITY, _MOST_EPOCHS = 64, 50, 3, 1000


def features_of(vectors: np.ndarray | StringVectors, entry: Mapping[str, Any]) -> torch.Tensor:
    """Return float32 [items, D] of single texts, [items, 2 D] of pairs: |u - v| and u * v.

    The `texts` of `entry` are rows of `vectors`, one or two for each item. With its `features` all
    they are [items, 4 D] of pairs: u, v and those.
    """
    sides = [gather_rows(vectors, side, "vectors") for side in zip(*entry["texts"], strict=True)]
    if len(sides) == 1:
        return torch.from_numpy(sides[0])
    lefts, rights = sides
    both = [lefts, rights] if entry.get("features") == "all" else []
    return torch.from_numpy(np.concatenate([*both, np.abs(lefts - rights), lefts * rights], axis=1))


def rows_by_part(entry: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return the numbers of the items of each part of a block of items.json."""
    parts = np.array(entry["parts"])
    return {part: np.flatnonzero(parts == part) for part in dict.fromkeys(entry["parts"])}


def predict(
    dataset: str,
    entry: Mapping[str, Any],
    vectors: np.ndarray | StringVectors,
    how: str | OwnClassifier,
) -> list[str]:
    """Return the prediction for each test item of a block of items.json: a class, or a score.

    `how` is the protocol to train by, or a classifier that came with the encoder.
    """
    if isinstance(how, OwnClassifier):
        return own_predictions(dataset, entry, vectors, how)
    if entry["task"] == "relatedness":
        return [f"{score:.9g}" for score in predict_scores(vectors, entry)]
    try:
        return predict_classes(vectors, entry, PROTOCOLS[how])
    except UserError as error:
        raise error.within(f"dataset {dataset}") from error


def predict_classes(
    vectors: np.ndarray | StringVectors, entry: Mapping[str, Any], protocol: Protocol
) -> list[str]:
    """Return the class of each test item (part `test` or `all`) in its order.

    Raises `UserError` for a class that folds or training lack.
    """
    names = sorted(set(entry["labels"]))
    labels = np.array([names.index(label) for label in entry["labels"]])
    rows, features = rows_by_part(entry), features_of(vectors, entry)
    _check_classes(entry, rows, protocol)
    if "all" in rows:
        numbers = nested_folds(features, labels, protocol)
    elif "development" in rows:
        parts = (rows["train"], rows["development"], rows["test"])
        numbers = split_then_test(features, labels, *parts, protocol)
    else:
        numbers = folds_then_test(features, labels, rows["train"], rows["test"], protocol)
    return [names[number] for number in numbers]


def _check_classes(
    entry: Mapping[str, Any], rows: Mapping[str, np.ndarray], protocol: Protocol
) -> None:
    learnt = rows["all"] if "all" in rows else rows["train"]
    counts = Counter(entry["labels"][row] for row in learnt)
    if unknown := set(entry["labels"]) - set(counts):
        raise UserError(
            None,
            f"no training text has class {min(unknown)!r}, but other parts do",
            "fix the data set",
        )
    label, least = min(counts.items(), key=lambda pair: (pair[1], pair[0]))
    # an outer fold takes its share before the inner ones do
    needed = protocol.folds * (2 if "all" in rows else 1)
    if "development" not in rows and least < needed:
        raise UserError(
            None,
            f"class {label!r} has {least} texts, too few for {protocol.folds} folds",
            "give a `development` part, or another protocol of `classification`",
        )


def predict_scores(vectors: np.ndarray | StringVectors, entry: Mapping[str, Any]) -> list[float]:
    """Return the score of each test pair by SentEval's regression (Tai et al. 2015).

    A softmax over the scores 1 to 5 of |u - v| and u * v learns the two nearest to the gold one by
    squared error; Pearson's correlation on the development part tells when to stop.
    """
    rows, features = rows_by_part(entry), features_of(vectors, entry)
    gold = np.array([float(label) for label in entry["labels"]])
    targets = torch.from_numpy(_two_bins(gold)).float()
    generator = np.random.RandomState(SEED)
    layer = fresh_linear(features.shape[1], len(_SCORES), SEED)
    optimiser = torch.optim.Adam(layer.parameters())
    train, watched, test = (rows[part] for part in ("train", "development", "test"))
    best, misses, epochs, kept = -1.0, 0, 0, layer
    while epochs <= _MOST_EPOCHS:
        for _ in range(_EPOCHS):
            order = train[generator.permutation(len(train))]
            for batch in np.split(order, range(_BATCH_SIZE, len(order), _BATCH_SIZE)):
                loss = torch.nn.functional.mse_loss(
                    layer(features[batch]).softmax(1), targets[batch]
                )
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
        epochs += _EPOCHS
        correlation = np.nan_to_num(pearsonr(_means(layer, features[watched]), gold[watched])[0])
        if correlation > best:
            best, kept = correlation, copy.deepcopy(layer)
            continue
        if misses >= _TENACITY:
            break
        misses += 1
    return _means(kept, features[test]).tolist()


@torch.no_grad()
def _means(layer: torch.nn.Module, features: torch.Tensor) -> np.ndarray:
    return layer(features).softmax(1).double().numpy() @ _SCORES


def _two_bins(gold: np.ndarray) -> np.ndarray:
    """Return shares [items, 5] of the two whole scores next to each, whose mean it is."""
    low = np.floor(gold).astype(int)
    above = gold - low
    shares = np.zeros((len(gold), len(_SCORES) + 1))
    rows = np.arange(len(gold))
    shares[rows, low - 1] = 1 - above
    shares[rows, low] += above
    return shares[:, :-1]
