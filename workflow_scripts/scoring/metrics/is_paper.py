"""The isotropy score of the published level: directions are rows of the matrix of eigenvectors."""

from workflow_scripts.scoring.evidence import VectorSet
from workflow_scripts.scoring.isotropy import isotropy_score


def metric(evidence: VectorSet) -> float:
    return isotropy_score(evidence.vectors, "is_paper")
