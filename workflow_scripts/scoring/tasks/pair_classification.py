"""Pair classification: the area under the ROC curve of the cosine against the label of a pair."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from workflow_scripts.scoring.measurement import Measurement

METRICS = ("auc",)
ITEMS = "LabelledPairs"
NEEDS: tuple[str, ...] = ()
DEVELOPMENT = False


def measure(dataset: str, entry: dict, vectors: "np.ndarray", ranked: Any = None) -> "Measurement":
    """Return the area over all pairs (`left`, `right`, `label` 0 or 1), with cosines and labels."""
    import numpy as np

    from workflow_scripts.scoring.bootstrap_replicates import cosines_key, labels_key
    from workflow_scripts.scoring.measurement import measure_items
    from workflow_scripts.scoring.similarity import cosines_of_pairs
    from workflow_scripts.scoring.weighted_metrics import auc_metric

    cosines = cosines_of_pairs(vectors, entry["left"], entry["right"])
    labels = np.asarray(entry["label"])
    arrays = {cosines_key(dataset): cosines.astype(np.float32)}
    arrays |= {labels_key(dataset): labels.astype(np.int8)}
    metrics = {"auc": auc_metric(cosines, labels)}
    return measure_items(dataset, entry, len(labels), metrics, arrays=arrays)
