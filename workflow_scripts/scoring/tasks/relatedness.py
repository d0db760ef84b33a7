"""Relatedness: how scores that a trained layer gives pairs go with the gold ones (SentEval)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from workflow_scripts.scoring.measurement import Measurement

METRICS = ("pearson", "spearman")
ITEMS = "LabelledTexts"
SUITE = "classification"  # SentEval has sets of both
NEEDS = ("predictions",)
DEVELOPMENT = False


def measure(
    dataset: str, entry: dict[str, Any], vectors: "np.ndarray", ranked: Sequence[str]
) -> "Measurement":
    """Return the correlations of the scores (`ranked`) with the gold ones of the test part."""
    import numpy as np

    from workflow_scripts.errors import damaged_file_error
    from workflow_scripts.files import parse_number
    from workflow_scripts.scoring.measurement import measure_items, require_whole
    from workflow_scripts.scoring.predictions import tested_labels
    from workflow_scripts.scoring.weighted_metrics import pearson_metric, spearman_metric

    gold = np.array([float(label) for label in tested_labels(entry)])
    require_whole(dataset, [0 if ranked is None else len(ranked)], [len(gold)])
    with damaged_file_error(f"the predictions of {dataset}"):
        numbers = [parse_number(text) for text in ranked]
        if None in numbers:
            raise ValueError(f"{ranked[numbers.index(None)]!r} is no number")
        scores = np.array(numbers, dtype=np.float64)
    metrics = {"pearson": pearson_metric(scores, gold), "spearman": spearman_metric(scores, gold)}
    return measure_items(dataset, entry, len(gold), metrics)
