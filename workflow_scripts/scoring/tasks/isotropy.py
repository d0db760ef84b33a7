"""Isotropy of the vectors of a set of strings (the paper's Tables 9 and 14)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from workflow_scripts.scoring.measurement import Measurement

METRICS = ("is_paper", "is_eig", "mvn")
ITEMS = "StringSet"
NEEDS: tuple[str, ...] = ()
DEVELOPMENT = False


def measure(dataset: str, entry: dict, vectors: "np.ndarray", ranked: Any = None) -> "Measurement":
    """Return mean-vector norm and isotropy scores of `strings`; none is a function of items."""
    import numpy as np

    from workflow_scripts.retrieval.suite_files import gather_rows
    from workflow_scripts.scoring.isotropy import isotropy_score, mean_vector_norm
    from workflow_scripts.scoring.measurement import measure_items

    rows = gather_rows(vectors, entry["strings"], "vectors").astype(np.float64)
    values = {"mvn": mean_vector_norm(rows)}
    values |= {name: isotropy_score(rows, name) for name in ("is_eig", "is_paper")}
    return measure_items(dataset, entry, len(rows), values=values)
