"""SentEval's three ways to choose a penalty and to test (Conneau and Kiela 2018).

All return the class of each test item, int64 [tested].
"""

import numpy as np
import torch
from sklearn.model_selection import StratifiedKFold

from workflow_scripts.scoring.linear_probe import (
    PENALTIES,
    SEED,
    Fit,
    Protocol,
    fit_probes,
    predict,
)


def nested_folds(features: torch.Tensor, labels: np.ndarray, protocol: Protocol) -> np.ndarray:
    """Test every item in an outer fold, by the penalty that inner folds of the others chose.

    MR, CR, SUBJ and MPQA. `features` are [N, D], `labels` whole numbers.
    """
    outer = _folds(np.arange(len(labels)), labels, protocol)
    inner = [_folds(train, labels, protocol) for train, _ in outer]
    fits = [Fit(*fold) for folds in inner for fold in folds]
    accuracies = _search(features, labels, fits, protocol).reshape(len(outer), -1, len(PENALTIES))
    chosen = np.array([[_choose(of_fold)] for of_fold in accuracies])
    finals = [Fit(train) for train, _ in outer]
    weights, _ = fit_probes(features, labels, finals, chosen, protocol)
    predicted = np.zeros(len(labels), dtype=np.int64)
    for (_, test), own in zip(outer, weights[:, 0], strict=True):
        predicted[test] = predict(features[test], own)
    return predicted


def folds_then_test(
    features: torch.Tensor,
    labels: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    protocol: Protocol,
) -> np.ndarray:
    """Test the rows `test` by the penalty that folds of the rows `train` chose (TREC, MRPC)."""
    fits = [Fit(*fold) for fold in _folds(train, labels, protocol)]
    chosen = _choose(_search(features, labels, fits, protocol))
    return _test(features, labels, Fit(train), chosen, test, protocol)


def split_then_test(
    features: torch.Tensor,
    labels: np.ndarray,
    train: np.ndarray,
    development: np.ndarray,
    test: np.ndarray,
    protocol: Protocol,
) -> np.ndarray:
    """Test the rows `test` by the penalty that the rows `development` chose (SST2, SICK-E)."""
    fit = Fit(train, development)
    chosen = _choose(_search(features, labels, [fit], protocol))
    return _test(features, labels, fit, chosen, test, protocol)


def _folds(
    rows: np.ndarray, labels: np.ndarray, protocol: Protocol
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the rows to train on and those left out, of each stratified fold of `rows`."""
    folds = StratifiedKFold(n_splits=protocol.folds, shuffle=True, random_state=SEED)
    return [(rows[own], rows[others]) for own, others in folds.split(rows, labels[rows])]


def _search(
    features: torch.Tensor, labels: np.ndarray, fits: list[Fit], protocol: Protocol
) -> np.ndarray:
    penalties = np.tile(PENALTIES, (len(fits), 1))
    return fit_probes(features, labels, fits, penalties, protocol)[1]


def _choose(accuracies: np.ndarray) -> float:
    """Return the penalty with the best mean over folds [F, R], rounded as SentEval does."""
    return PENALTIES[int(np.argmax(np.round(100 * accuracies.mean(axis=0), 2)))]


def _test(
    features: torch.Tensor,
    labels: np.ndarray,
    fit: Fit,
    penalty: float,
    test: np.ndarray,
    protocol: Protocol,
) -> np.ndarray:
    weights, _ = fit_probes(features, labels, [fit], np.array([[penalty]]), protocol)
    return predict(features[test], weights[0, 0])
