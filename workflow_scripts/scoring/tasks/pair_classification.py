"""Pair classification: the cosine of a pair against its label."""

from typing import Any

from workflow_scripts.scoring.evidence import Predictions

PRIMARY = "auc"
ITEMS = "LabelledPairs"
NEEDS: tuple[str, ...] = ()
DEVELOPMENT = False


def evidence(dataset: str, entry: dict, vectors: Any, ranked: Any = None) -> Predictions:
    """Return cosines and labels of all pairs (`left`, `right`, `label` 0 or 1), kept as arrays."""
    import numpy as np

    from workflow_scripts.scoring.bootstrap_replicates import cosines_key, labels_key
    from workflow_scripts.scoring.similarity import cosines_of_pairs

    cosines = cosines_of_pairs(vectors, entry["left"], entry["right"])
    labels = np.asarray(entry["label"])
    arrays = {cosines_key(dataset): cosines.astype(np.float32)}
    arrays |= {labels_key(dataset): labels.astype(np.int8)}
    return Predictions(n=len(labels), predicted=cosines, gold=labels, arrays=arrays)
