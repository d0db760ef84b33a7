"""Entity linking: the share of mentions with an accepted concept within k dictionary names."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from workflow_scripts.scoring.measurement import Measurement

METRICS = ("accuracy@1", "accuracy@5")
ITEMS = "LinkingSet"
NEEDS = ("links",)
DEVELOPMENT = True


def measure(
    dataset: str,
    entry: dict[str, Any],
    vectors: "np.ndarray",
    ranked: Sequence[Sequence[Sequence[int]]],
) -> "Measurement":
    """Return accuracy@k over all mentions; `ranked` holds rows of names per mention and part."""
    from workflow_scripts.scoring.ranked_accuracy import measure_rankings

    return measure_rankings(dataset, entry, ranked, entry["name_concepts"], entry["gold"])
