"""The classifier that an encoder was trained together with (tuning method `classify`)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_json

# its layer, among the modules of a method's own
LAYER = "text_classifier"


class OwnClassifier:
    """A linear layer, weight [C, D] and bias [C], whose rows are the `classes`."""

    def __init__(self, weight: np.ndarray, bias: np.ndarray, classes: Sequence[str]) -> None:
        self._weight, self._bias, self.classes = weight, bias, list(classes)

    def classify(self, vectors: np.ndarray) -> list[str]:
        """Return the class of each vector of [N, D]."""
        numbers = (vectors @ self._weight.T + self._bias).argmax(axis=1)
        return [self.classes[number] for number in numbers]


def read_own_classifier(folder: str | Path) -> OwnClassifier:
    """Return the classifier of an encoder's folder; `UserError` where there is none."""
    # Only now: it brings transformers.
    from workflow_scripts.embedding.encoder_folder import OWN_WEIGHTS

    record, path = Path(folder) / "encoder.json", Path(folder) / OWN_WEIGHTS
    content = read_json(record) if record.is_file() else {}
    remedy = "make the encoder again"
    with damaged_file_error(record, remedy):
        classes = content.get("corpus", {}).get("classes")
    if classes is None or not path.is_file():
        raise UserError(
            folder,
            "not an encoder with its own classifier",
            "give one that was trained by method classify",
        )
    with damaged_file_error(path, remedy):
        weights = load_file(path)
        weight, bias = (weights[f"own.{LAYER}.{name}"] for name in ("weight", "bias"))
        if not len(weight) == len(bias) == len(classes):
            raise ValueError(f"{len(weight)} rows for {len(classes)} classes")
    return OwnClassifier(weight, bias, classes)
