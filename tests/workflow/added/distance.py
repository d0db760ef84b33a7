"""Task distance: how far the two strings of a pair are apart. A second task, for a test."""

METRICS = ("mean_distance",)
ITEMS = "SimilaritySet"
NEEDS = ()
DEVELOPMENT = False


def measure(dataset, entry, vectors, ranked=None):
    import numpy as np

    from workflow_scripts.scoring.measurement import measure_items

    apart = np.linalg.norm(vectors[entry["left"]] - vectors[entry["right"]], axis=1)
    metrics = {"mean_distance": lambda counts: counts @ apart / counts.sum(axis=-1)}
    return measure_items(dataset, entry, len(apart), metrics)
