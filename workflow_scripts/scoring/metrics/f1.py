"""F1 of the nearest English sentences, a class each, weighted by how often each is right.

So scikit-learn averages it, and MTEB scores bitext mining.
"""

import numpy as np

from workflow_scripts.scoring.nearest_translations import Bitext
from workflow_scripts.scoring.weighted_metrics import Metric


def metric(evidence: Bitext) -> Metric:
    predicted = np.asarray(evidence.predicted)
    hits = predicted == evidence.gold

    def f1(counts: np.ndarray) -> np.ndarray:
        # of each English sentence: how often it is nearest, how often it is right
        nearest = np.zeros_like(counts)
        for resample, row in zip(counts, nearest, strict=True):
            row += np.bincount(predicted, weights=resample, minlength=len(row))
        either = counts + nearest
        shares = np.divide(2 * counts * hits, either, out=np.zeros_like(counts), where=either > 0)
        return np.einsum("rn,rn->r", counts, shares) / counts.sum(axis=1)

    return f1
