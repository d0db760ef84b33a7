"""Classification: the share of test items whose class a linear classifier finds (SentEval)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from workflow_scripts.scoring.measurement import Measurement

METRICS = ("accuracy",)
ITEMS = "LabelledTexts"
NEEDS = ("predictions",)
DEVELOPMENT = False


def measure(
    dataset: str, entry: dict[str, Any], vectors: "np.ndarray", ranked: Sequence[str]
) -> "Measurement":
    """Return the accuracy of the predictions (`ranked`); test items are resampled.

    Of a set without splits all items are tested, so that the mean of SentEval's outer folds is
    weighted by their sizes, which differ by one.
    """
    from workflow_scripts.scoring.measurement import measure_items, require_whole
    from workflow_scripts.scoring.predictions import tested_labels
    from workflow_scripts.scoring.weighted_metrics import accuracy_metric

    gold = tested_labels(entry)
    require_whole(dataset, [0 if ranked is None else len(ranked)], [len(gold)])
    hits = [own == other for own, other in zip(gold, ranked, strict=True)]
    return measure_items(dataset, entry, len(gold), {"accuracy": accuracy_metric(hits)})
