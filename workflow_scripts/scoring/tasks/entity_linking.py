"""Entity linking: the dictionary names nearest to mentions against their accepted concepts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workflow_scripts.scoring.ranked_accuracy import Rankings

PRIMARY = "accuracy@1"
ITEMS = "LinkingSet"
NEEDS = ("links",)
DEVELOPMENT = True


def evidence(
    dataset: str,
    entry: dict[str, Any],
    vectors: Any,
    ranked: Sequence[Sequence[Sequence[int]]],
) -> "Rankings":
    """Return what is ranked for all mentions: rows of names per mention and part."""
    from workflow_scripts.scoring.ranked_accuracy import check_rankings

    return check_rankings(dataset, ranked, entry["name_concepts"], entry["gold"])
