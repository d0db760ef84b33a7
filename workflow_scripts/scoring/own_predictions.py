"""What a classifier that came with its encoder says of the test items of a data set."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from workflow_scripts.embedding.own_classifier import OwnClassifier
from workflow_scripts.embedding.suite_vectors import StringVectors
from workflow_scripts.errors import UserError
from workflow_scripts.scoring.predictions import TESTED, tested_labels


def own_predictions(
    dataset: str,
    entry: Mapping[str, Any],
    vectors: np.ndarray | StringVectors,
    classifier: OwnClassifier,
) -> list[str]:
    """Return the class of each test item by a classifier that came with its encoder.

    Raises `UserError` for a class that it does not know, and for pairs.
    """
    items = zip(entry["texts"], entry["parts"], strict=True)
    rows = [texts for texts, part in items if part in TESTED]
    if entry["task"] != "classification" or any(len(texts) != 1 for texts in rows):
        raise UserError(
            f"data set {dataset}",
            "the encoder's own classifier takes single labelled texts",
            "score it on data sets of task classification, without pairs",
        )
    if unknown := set(tested_labels(entry)) - set(classifier.classes):
        raise UserError(
            f"data set {dataset}",
            f"class {min(unknown)!r} is not one that the encoder was trained with "
            f"({', '.join(classifier.classes)})",
            "use the labels of its corpus",
        )
    return classifier.classify(vectors[[row for (row,) in rows]])
