"""Classification: the classes of test items by a linear classifier (SentEval)."""

from collections.abc import Sequence
from typing import Any

from workflow_scripts.scoring.evidence import Predictions, require_whole

PRIMARY = "accuracy"
ITEMS = "LabelledTexts"
NEEDS = ("predictions",)
DEVELOPMENT = False


def evidence(
    dataset: str, entry: dict[str, Any], vectors: Any, ranked: Sequence[str]
) -> Predictions:
    """Return the predictions (`ranked`); test items are resampled.

    Of a set without splits all items are tested, so that the mean of SentEval's outer folds is
    weighted by their sizes, which differ by one.
    """
    from workflow_scripts.scoring.predictions import tested_labels

    gold = tested_labels(entry)
    require_whole(dataset, [0 if ranked is None else len(ranked)], [len(gold)])
    return Predictions(n=len(gold), predicted=ranked, gold=gold)
