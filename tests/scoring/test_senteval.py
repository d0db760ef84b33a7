"""SentEval's protocols against its algorithm written plainly: one fit at a time, by autograd."""

import copy

import numpy as np
import pytest
import torch
from sklearn.model_selection import StratifiedKFold

from workflow_scripts.scoring.linear_probe import PROTOCOLS, Fit, Protocol, fit_probes
from workflow_scripts.scoring.senteval import folds_then_test, nested_folds, split_then_test

REGS = [1e-5, 1e-4, 1e-3, 1e-2]
SMALL = {
    "adam": Protocol(3, "adam", 16, 2, 4),
    "rmsprop": Protocol(3, "rmsprop", 32, 1, 2),
}


class PlainClassifier:
    """A single fit, as the classifier of SentEval with no hidden layer."""

    def __init__(self, width, classes, penalty, protocol):
        np.random.seed(1111)
        torch.manual_seed(1111)
        self.model = torch.nn.Linear(width, classes)
        self.protocol = protocol
        kinds = {"adam": torch.optim.Adam, "rmsprop": torch.optim.RMSprop}
        self.optimiser = kinds[protocol.optimiser](self.model.parameters(), weight_decay=penalty)

    def fit(self, rows, labels, watched=None):
        if watched is None:
            order, cut = np.random.permutation(len(rows)), int(0.05 * len(rows))
            watched = (rows[order[:cut]], labels[order[:cut]])
            rows, labels = rows[order[cut:]], labels[order[cut:]]
        best, misses, epochs, stop = -1, 0, 0, False
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

    def predict(self, rows):
        return self.model(rows).argmax(dim=1)

    def score(self, rows, labels):
        return (self.predict(rows) == labels).double().mean().item()


def plain_fit(features, labels, train, penalty, protocol, watched=None):
    one = PlainClassifier(features.shape[1], int(labels.max()) + 1, penalty, protocol)
    truth = torch.from_numpy(labels)
    at = None if watched is None else (features[watched], truth[watched])
    one.fit(features[train], truth[train], at)
    return one


def plain_choice(features, labels, folds, protocol):
    truth, scores = torch.from_numpy(labels), []
    for reg in REGS:
        found = [
            plain_fit(features, labels, train, reg, protocol, left).score(
                features[left], truth[left]
            )
            for train, left in folds
        ]
        scores.append(round(100 * np.mean(found), 2))
    return REGS[int(np.argmax(scores))]


def plain_folds(rows, labels, protocol):
    cut = StratifiedKFold(n_splits=protocol.folds, shuffle=True, random_state=1111)
    return [(rows[a], rows[b]) for a, b in cut.split(rows, labels[rows])]


def plain_classes(features, labels, train, test, penalty, protocol, watched=None):
    one = plain_fit(features, labels, train, penalty, protocol, watched)
    return one.predict(features[test]).numpy()


def make_task(count, width, classes, seed):
    """Return features and labels that a line separates in part."""
    generator = np.random.RandomState(seed)
    labels = generator.randint(classes, size=count)
    centres = generator.normal(size=(classes, width))
    features = 0.7 * centres[labels] + generator.normal(size=(count, width))
    return torch.from_numpy(features).float(), labels


@pytest.mark.parametrize("name", SMALL)
def test_fits_together_are_as_fits_alone(name):
    protocol = SMALL[name]
    features, labels = make_task(120, 5, 3, 1)
    rows = np.random.RandomState(2).permutation(120)
    # of different sizes, two of them equal, one without rows to watch
    fits = [Fit(rows[:80], rows[80:]), Fit(rows[40:], rows[:40]), Fit(rows[:90], rows[90:])]
    fits.append(Fit(rows[:100]))
    penalties = np.tile([1e-5, 1e-2], (4, 1))
    weights, best = fit_probes(features, labels, fits, penalties, protocol)
    for number, fit in enumerate(fits):
        for place, penalty in enumerate(penalties[number]):
            alone = PlainClassifier(5, 3, penalty, protocol)
            truth = torch.from_numpy(labels)
            watched = fit.watched
            at = None if watched is None else (features[watched], truth[watched])
            assert alone.fit(features[fit.train], truth[fit.train], at) == best[number, place]
            model = torch.cat([alone.model.weight, alone.model.bias[:, None]], dim=1)
            torch.testing.assert_close(weights[number, place], model.detach(), rtol=0, atol=2e-4)


@pytest.mark.parametrize("name", SMALL)
def test_nested_folds(name):
    protocol = SMALL[name]
    features, labels = make_task(130, 6, 2, 3)
    expected = np.zeros(130, dtype=int)
    for train, test in plain_folds(np.arange(130), labels, protocol):
        penalty = plain_choice(features, labels, plain_folds(train, labels, protocol), protocol)
        expected[test] = plain_classes(features, labels, train, test, penalty, protocol)
    assert 0.6 < (expected == labels).mean() < 1
    np.testing.assert_array_equal(nested_folds(features, labels, protocol), expected)


@pytest.mark.parametrize("name", SMALL)
def test_folds_then_test(name):
    protocol = SMALL[name]
    features, labels = make_task(150, 6, 4, 5)
    train, test = np.arange(100), np.arange(100, 150)
    penalty = plain_choice(features, labels, plain_folds(train, labels, protocol), protocol)
    expected = plain_classes(features, labels, train, test, penalty, protocol)
    found = folds_then_test(features, labels, train, test, protocol)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", SMALL)
def test_split_then_test(name):
    protocol = SMALL[name]
    features, labels = make_task(150, 6, 3, 7)
    train, development, test = np.arange(80), np.arange(80, 110), np.arange(110, 150)
    penalty = plain_choice(features, labels, [(train, development)], protocol)
    expected = plain_classes(features, labels, train, test, penalty, protocol, development)
    found = split_then_test(features, labels, train, development, test, protocol)
    np.testing.assert_array_equal(found, expected)


def test_the_protocols_are_those_of_senteval_and_of_the_notebook():
    assert PROTOCOLS["default"] == Protocol(10, "adam", 64, 5, 4)
    assert PROTOCOLS["prototyping"] == Protocol(5, "rmsprop", 128, 3, 2)
    assert PROTOCOLS["notebook"] == Protocol(10, "adam", 16, 5, 6)
