"""Isotropy of the vectors of a set of strings (the paper's Tables 9 and 14)."""

from typing import Any

from workflow_scripts.scoring.evidence import VectorSet

PRIMARY = "is_paper"
ITEMS = "StringSet"
NEEDS: tuple[str, ...] = ()
DEVELOPMENT = False


def evidence(dataset: str, entry: dict, vectors: Any, ranked: Any = None) -> VectorSet:
    """Return the vectors of `strings`."""
    import numpy as np

    from workflow_scripts.retrieval.suite_files import gather_rows

    rows = gather_rows(vectors, entry["strings"], "vectors").astype(np.float64)
    return VectorSet(n=len(rows), vectors=rows)
