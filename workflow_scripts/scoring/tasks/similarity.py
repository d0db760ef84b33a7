"""Similarity: Spearman's correlation of the cosines of pairs with their gold scores."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from workflow_scripts.scoring.measurement import Measurement

METRICS = ("spearman",)
ITEMS = "SimilaritySet"
NEEDS: tuple[str, ...] = ()
DEVELOPMENT = True


def measure(dataset: str, entry: dict, vectors: "np.ndarray", ranked: Any = None) -> "Measurement":
    """Return the correlation over all pairs (`left`, `right`, `gold`) of a set put together."""
    import numpy as np

    from workflow_scripts.scoring.measurement import measure_items
    from workflow_scripts.scoring.similarity import cosines_of_pairs
    from workflow_scripts.scoring.weighted_metrics import spearman_metric

    cosines = cosines_of_pairs(vectors, entry["left"], entry["right"])
    gold = np.asarray(entry["gold"], dtype=np.float64)
    return measure_items(dataset, entry, len(gold), {"spearman": spearman_metric(cosines, gold)})
