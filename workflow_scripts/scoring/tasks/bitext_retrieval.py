"""Bitext retrieval: what is nearest to a sentence, by cosine, against its translation.

CMLM, section 4.6, on Tatoeba: candidates are all sentences of the other side of the file.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workflow_scripts.scoring.nearest_translations import Bitext

PRIMARY = "accuracy"
ITEMS = "ParallelSentences"
NEEDS: tuple[str, ...] = ()
DEVELOPMENT = True


def evidence(dataset: str, entry: dict, vectors: Any, ranked: Any = None) -> "Bitext":
    """Return both sides (`left`, `right`) of all pairs; queries are resampled."""
    import numpy as np

    from workflow_scripts.retrieval.suite_files import gather_rows
    from workflow_scripts.scoring.nearest_translations import Bitext

    strings = [entry["left"], entry["right"]]
    sides = [gather_rows(vectors, side, "vectors").astype(np.float64) for side in strings]
    return Bitext(n=len(strings[0]), sides=sides, strings=strings)
