"""The length of the mean vector (Mirror-BERT, appendix E, Eq. 3)."""

import numpy as np

from workflow_scripts.scoring.evidence import VectorSet


def metric(evidence: VectorSet) -> float:
    return float(np.linalg.norm(evidence.vectors.mean(axis=0, dtype=np.float64)))
