"""What the share of a query's own language would be if language played no role."""

import numpy as np

from workflow_scripts.scoring.neighbour_languages import SentencePool


def metric(evidence: SentencePool) -> float:
    sizes = np.array([len(rows) for rows in evidence.rows_of.values()])
    return float(sizes @ (sizes - 1) / (evidence.n * (evidence.n - 1)))
