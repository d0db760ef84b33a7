"""Task distance: how far the two strings of a pair are apart. A second task, for a test."""

PRIMARY = "mean_distance"
ITEMS = "SimilaritySet"
NEEDS = ()
DEVELOPMENT = False


def evidence(dataset, entry, vectors, ranked=None):
    import numpy as np

    from workflow_scripts.scoring.evidence import Predictions

    apart = np.linalg.norm(vectors[entry["left"]] - vectors[entry["right"]], axis=1)
    return Predictions(n=len(apart), predicted=apart, gold=entry["gold"])
