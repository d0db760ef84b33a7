"""Similarity: the cosines of pairs against their gold scores."""

from typing import Any

from workflow_scripts.scoring.evidence import Predictions

PRIMARY = "spearman"
ITEMS = "SimilaritySet"
NEEDS: tuple[str, ...] = ()
DEVELOPMENT = True


def evidence(dataset: str, entry: dict, vectors: Any, ranked: Any = None) -> Predictions:
    """Return cosines and scores of all pairs (`left`, `right`, `gold`) of a set put together."""
    import numpy as np

    from workflow_scripts.scoring.similarity import cosines_of_pairs

    cosines = cosines_of_pairs(vectors, entry["left"], entry["right"])
    gold = np.asarray(entry["gold"], dtype=np.float64)
    return Predictions(n=len(gold), predicted=cosines, gold=gold)
