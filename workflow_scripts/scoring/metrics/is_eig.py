"""The isotropy score of Mu and Viswanath (2018): directions are eigenvectors."""

from workflow_scripts.scoring.evidence import VectorSet
from workflow_scripts.scoring.isotropy import isotropy_score


def metric(evidence: VectorSet) -> float:
    return isotropy_score(evidence.vectors, "is_eig")
