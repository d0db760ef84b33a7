"""Relatedness: the scores that a trained layer gives pairs against the gold ones (SentEval)."""

from collections.abc import Sequence
from typing import Any

from workflow_scripts.scoring.evidence import Predictions, require_whole

PRIMARY = "pearson"
ITEMS = "LabelledTexts"
SUITE = "classification"  # SentEval has sets of both
NEEDS = ("predictions",)
DEVELOPMENT = False


def evidence(
    dataset: str, entry: dict[str, Any], vectors: Any, ranked: Sequence[str]
) -> Predictions:
    """Return the scores (`ranked`) and the gold ones of the test part."""
    import numpy as np

    from workflow_scripts.errors import damaged_file_error
    from workflow_scripts.files import parse_number
    from workflow_scripts.scoring.predictions import tested_labels

    gold = np.array([float(label) for label in tested_labels(entry)])
    require_whole(dataset, [0 if ranked is None else len(ranked)], [len(gold)])
    with damaged_file_error(f"the predictions of {dataset}"):
        numbers = [parse_number(text) for text in ranked]
        if None in numbers:
            raise ValueError(f"{ranked[numbers.index(None)]!r} is no number")
        scores = np.array(numbers, dtype=np.float64)
    return Predictions(n=len(gold), predicted=scores, gold=gold)
