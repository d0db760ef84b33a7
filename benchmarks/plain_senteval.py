"""SentEval's classifiers and SICK's regression the plain way: one fit at a time, by autograd.

The algorithm of Conneau and Kiela's SentEval with logistic regression, written apart from
`scoring.senteval` and `scoring.linear_probe`, for tests and the benchmark to hold these against.
"""

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy.stats import pearsonr
from sklearn.model_selection import StratifiedKFold

from workflow_scripts.scoring.linear_probe import Protocol

REGS = [1e-5, 1e-4, 1e-3, 1e-2]
SEED = 1111
Fold = tuple[np.ndarray, np.ndarray]


class Set(NamedTuple):
    """Features [N, D], labels [N] as whole numbers, and how classifiers are trained on them."""

    features: torch.Tensor
    labels: np.ndarray
    protocol: Protocol

    def at(self, rows: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        return self.features[rows], torch.from_numpy(self.labels[rows])


class PlainClassifier:
    """A single fit, as the classifier of SentEval with no hidden layer."""

    def __init__(self, width: int, classes: int, penalty: float, protocol: Protocol) -> None:
        np.random.seed(SEED)
        torch.manual_seed(SEED)
        self.model = torch.nn.Linear(width, classes)
        self.protocol = protocol
        kinds = {"adam": torch.optim.Adam, "rmsprop": torch.optim.RMSprop}
        self.optimiser = kinds[protocol.optimiser](self.model.parameters(), weight_decay=penalty)

    def fit(
        self,
        rows: torch.Tensor,
        labels: torch.Tensor,
        watched: tuple[torch.Tensor, torch.Tensor] | None = None,
    ) -> float:
        """Train; return the best accuracy on `watched`, or on 5% held out, and keep that model."""
        if watched is None:
            order, cut = np.random.permutation(len(rows)), int(0.05 * len(rows))
            watched = (rows[order[:cut]], labels[order[:cut]])
            rows, labels = rows[order[cut:]], labels[order[cut:]]
        best, misses, epochs, stop = -1.0, 0, 0, False
        kept = self.model
        while not stop and epochs <= 200:
            for _ in range(self.protocol.epoch_size):
                order = np.random.permutation(len(rows))
                for first in range(0, len(rows), self.protocol.batch_size):
                    own = order[first : first + self.protocol.batch_size]
                    loss = torch.nn.functional.cross_entropy(self.model(rows[own]), labels[own])
                    self.optimiser.zero_grad()
                    loss.backward()
                    self.optimiser.step()
            epochs += self.protocol.epoch_size
            found = self.score(*watched)
            if found > best:
                best, kept = found, copy.deepcopy(self.model)
            else:
                stop = misses >= self.protocol.tenacity
                misses += 1
        self.model = kept
        return best

    def predict(self, rows: torch.Tensor) -> torch.Tensor:
        return self.model(rows).argmax(dim=1)

    def score(self, rows: torch.Tensor, labels: torch.Tensor) -> float:
        return (self.predict(rows) == labels).double().mean().item()


def plain_fit(
    data: Set, train: np.ndarray, penalty: float, watched: np.ndarray | None = None
) -> PlainClassifier:
    width, classes = data.features.shape[1], int(data.labels.max()) + 1
    one = PlainClassifier(width, classes, penalty, data.protocol)
    one.fit(*data.at(train), None if watched is None else data.at(watched))
    return one


def plain_folds(data: Set, rows: np.ndarray) -> list[Fold]:
    cut = StratifiedKFold(n_splits=data.protocol.folds, shuffle=True, random_state=SEED)
    return [(rows[a], rows[b]) for a, b in cut.split(rows, data.labels[rows])]


def plain_choice(data: Set, folds: list[Fold]) -> float:
    """Return the penalty with the best mean accuracy on what the folds leave out."""
    scores = []
    for reg in REGS:
        found = [plain_fit(data, train, reg, left).score(*data.at(left)) for train, left in folds]
        scores.append(round(100 * np.mean(found), 2))
    return REGS[int(np.argmax(scores))]


def plain_nested(data: Set) -> np.ndarray:
    """Return the class of every item, found in its outer fold."""
    found = np.zeros(len(data.labels), dtype=int)
    for train, test in plain_folds(data, np.arange(len(data.labels))):
        penalty = plain_choice(data, plain_folds(data, train))
        found[test] = plain_fit(data, train, penalty).predict(data.features[test]).numpy()
    return found


def plain_test(data: Set, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the classes of the rows `test`, the penalty chosen by folds of the rows `train`."""
    penalty = plain_choice(data, plain_folds(data, train))
    return plain_fit(data, train, penalty).predict(data.features[test]).numpy()


def plain_split(
    data: Set, train: np.ndarray, development: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """Return the classes of the rows `test`, all chosen on the rows `development`."""
    penalty = plain_choice(data, [(train, development)])
    return plain_fit(data, train, penalty, development).predict(data.features[test]).numpy()


def plain_regression(
    features: torch.Tensor,
    gold: np.ndarray,
    train: np.ndarray,
    development: np.ndarray,
    test: np.ndarray,
) -> np.ndarray:
    """Return the scores of the rows `test`, as SentEval's SICK-R gives them (Tai et al. 2015)."""
    targets = np.zeros((len(gold), 5), dtype=np.float32)
    for row, score in enumerate(gold):
        for place in range(5):
            if place + 1 == np.floor(score) + 1:
                targets[row, place] = score - np.floor(score)
            if place + 1 == np.floor(score):
                targets[row, place] = np.floor(score) - score + 1
    truth = torch.from_numpy(targets)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    model = torch.nn.Sequential(torch.nn.Linear(features.shape[1], 5), torch.nn.Softmax(dim=-1))
    kept = model
    optimiser = torch.optim.Adam(model.parameters(), weight_decay=0.0)
    values = np.arange(1, 6)
    best, misses, stop, epochs = -1.0, 0, False, 0
    while not stop and epochs <= 1000:
        for _ in range(50):
            order = np.random.permutation(len(train))
            for first in range(0, len(train), 64):
                own = train[order[first : first + 64]]
                loss = torch.nn.MSELoss()(model(features[own]), truth[own])
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
        epochs += 50
        means = model(features[development]).detach().numpy() @ values
        found = np.nan_to_num(pearsonr(means, gold[development])[0])
        if found > best:
            best, kept = found, copy.deepcopy(model)
        else:
            stop = misses >= 3
            misses += 1
    return kept(features[test]).detach().numpy() @ values


def predict_plainly(entry: Mapping[str, Any], vectors: np.ndarray, protocol: Protocol) -> list[str]:
    """Return the prediction for each test item of a block of items.json."""
    sides = [vectors[list(side)] for side in zip(*entry["texts"], strict=True)]
    if len(sides) == 2:
        sides = [np.c_[np.abs(sides[0] - sides[1]), sides[0] * sides[1]]]
    features, parts = torch.from_numpy(sides[0]), np.array(entry["parts"])
    names = ("train", "development", "test")
    rows = [found for name in names if len(found := np.flatnonzero(parts == name))]
    if entry["task"] == "relatedness":
        gold = np.array([float(label) for label in entry["labels"]])
        return [f"{score:.9g}" for score in plain_regression(features, gold, *rows)]
    classes = sorted(set(entry["labels"]))
    data = Set(features, np.array([classes.index(one) for one in entry["labels"]]), protocol)
    ways = {0: plain_nested, 2: plain_test, 3: plain_split}
    return [classes[number] for number in ways[len(rows)](data, *rows)]
