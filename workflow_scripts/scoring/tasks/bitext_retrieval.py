"""Bitext retrieval: the share of sentences whose translation is nearest, by cosine.

CMLM, section 4.6, on Tatoeba: candidates are all sentences of the other side of the file. `pcr`:
each side without its own first principal component (section 5.2).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from workflow_scripts.scoring.measurement import Measurement

# The right side is English; the first is into it.
METRICS = ("accuracy", "accuracy_from_english", "accuracy_pcr", "accuracy_pcr_from_english")
ITEMS = "ParallelSentences"
NEEDS: tuple[str, ...] = ()
DEVELOPMENT = True


def measure(dataset: str, entry: dict, vectors: "np.ndarray", ranked: Any = None) -> "Measurement":
    """Return the four accuracies over all pairs (`left`, `right`); queries are resampled."""
    import numpy as np

    from workflow_scripts.embedding.principal_components import (
        principal_components,
        remove_components,
    )
    from workflow_scripts.retrieval.suite_files import gather_rows, normalise
    from workflow_scripts.scoring.measurement import measure_items
    from workflow_scripts.scoring.nearest_translations import first_rows, translation_hits
    from workflow_scripts.scoring.weighted_metrics import accuracy_metric

    strings = [entry["left"], entry["right"]]
    sides = [gather_rows(vectors, side, "vectors").astype(np.float64) for side in strings]
    firsts = [first_rows(side) for side in sides]
    hits: list[np.ndarray] = []
    for removed in (False, True):
        if removed:
            for side in sides:
                remove_components(side, principal_components(side))
        scaled = [
            normalise(side, "vectors", rows, np.float64)
            for side, rows in zip(sides, strings, strict=True)
        ]
        hits += translation_hits(*scaled, *firsts)
    metrics = {
        name: accuracy_metric(hits_of_metric)
        for name, hits_of_metric in zip(METRICS, hits, strict=True)
    }
    return measure_items(dataset, entry, len(strings[0]), metrics)
