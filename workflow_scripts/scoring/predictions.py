"""Predictions of classifiers as tab-separated files."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import damaged_file_error
from workflow_scripts.files import require_header, write_text

# parts whose items are tested
TESTED = ("all", "test")
_HEADER = ("dataset", "item", "prediction")


def tested_labels(entry: Mapping[str, Any]) -> list[str]:
    """Return the labels of the test items of a block of items.json, which predictions are of.

    Of a set without splits (part `all`) that is every item.
    """
    pairs = zip(entry["labels"], entry["parts"], strict=True)
    return [label for label, part in pairs if part in TESTED]


def write_predictions(path: Path, predictions: Mapping[str, Iterable[str]]) -> None:
    """Write a row for each test item, in its order; items count from 0."""
    lines = ["\t".join(_HEADER)]
    for dataset, labels in predictions.items():
        lines += [f"{dataset}\t{item}\t{value}" for item, value in enumerate(labels)]
    write_text(path, "\n".join(lines) + "\n")


def read_predictions(path: Path) -> dict[str, list[str]]:
    """Return the predictions of each data set in a file of `write_predictions`."""
    labels_of: dict[str, list[str]] = defaultdict(list)
    with damaged_file_error(path):
        rows = read_rows(path, Layout(what="a prediction", width=len(_HEADER)))
        require_header(next(rows, (1, []))[1], _HEADER)
        for _, (dataset, item, value) in rows:
            if item != str(len(labels_of[dataset])):
                raise IndexError(f"item {item} of {dataset} is out of order")
            labels_of[dataset].append(value)
    return dict(labels_of)
