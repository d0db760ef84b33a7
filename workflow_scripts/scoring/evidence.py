"""What a task finds out about the items of a data set, which its metrics are functions of.

Light to import, as the tasks are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workflow_scripts.errors import UserError

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What was found out about n items.

    Without a `coverage` it is the share of items that was not dropped. `arrays` are kept with the
    replicates, by key.
    """

    n: int
    coverage: float | None = None
    arrays: "Mapping[str, np.ndarray]" = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Predictions(Evidence):
    """A prediction and the gold value of each item: scores, labels or classes."""

    predicted: "Sequence[Any] | np.ndarray"
    gold: "Sequence[Any] | np.ndarray"


@dataclass(frozen=True, kw_only=True)
class VectorSet(Evidence):
    """Vectors float64 [n, dimension]; nothing about them is a function of items."""

    vectors: "np.ndarray"


def require_whole(dataset: str, numbers: Sequence[int], expected: Sequence[int]) -> None:
    """Raise `UserError` where what was found for the items is of another number than they are."""
    if list(numbers) != list(expected):
        raise UserError(
            f"dataset {dataset}",
            f"the results for its items are incomplete ({sum(numbers)} of {sum(expected)})",
            "remove that file and run again to recreate it",
        )
