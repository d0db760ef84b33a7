"""SentEval's fits, many at once, against its classifier written plainly; choice of the penalty."""

import numpy as np
import pytest
import torch

from benchmarks.plain_senteval import PlainClassifier
from workflow_scripts.scoring import linear_probe, senteval
from workflow_scripts.scoring.linear_probe import PENALTIES, Fit, Protocol, fit_probes

SMALL = {
    "adam": Protocol(3, "adam", 16, 2, 4),
    "rmsprop": Protocol(3, "rmsprop", 32, 1, 2),
}


def make_task(count, width, classes, seed):
    """Return features and labels that a line separates in part."""
    generator = np.random.RandomState(seed)
    labels = generator.randint(classes, size=count)
    centres = generator.normal(size=(classes, width))
    features = 0.7 * centres[labels] + generator.normal(size=(count, width))
    return torch.from_numpy(features).float(), labels


@pytest.mark.parametrize("name", SMALL)
def test_fits_together_are_as_fits_alone(name, monkeypatch):
    protocol = SMALL[name]
    # more fits of one size than go into one product
    monkeypatch.setattr(linear_probe, "_FITS", 2)
    features, labels = make_task(120, 5, 3, 1)
    rows = np.random.RandomState(2).permutation(120)
    # of different sizes, three of them equal, one without rows to watch
    fits = [Fit(rows[:80], rows[80:]), Fit(rows[40:], rows[:40]), Fit(rows[:90], rows[90:])]
    fits += [Fit(rows[20:100], rows[:20]), Fit(rows[:100])]
    penalties = np.array([[1e-5, 1e-2], [1e-2, 1e-5], [1e-3, 1e-2], [1e-2, 0.1], [1e-5, 1e-2]])
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


@pytest.mark.parametrize(
    ("folds", "chosen"),
    [
        ([[0.5, 0.6, 0.9, 0.7]], 2),
        # by the mean over the folds
        ([[0.1, 0.5, 0.9, 0.5], [0.9, 0.6, 0.1, 0.4]], 1),
        # in percent with two digits, and the first of equals
        ([[0.80001, 0.80002, 0.80004, 0.8]], 0),
        ([[0.80001, 0.80011, 0.80009, 0.8]], 1),
    ],
)
def test_the_penalty_is_that_of_the_best_mean_accuracy(folds, chosen):
    assert senteval._choose(np.array(folds)) == PENALTIES[chosen]
