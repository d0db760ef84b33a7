"""The share of items predicted right; in a bitext, of sentences whose English translation is
nearest.
"""

from workflow_scripts.scoring.evidence import Predictions
from workflow_scripts.scoring.weighted_metrics import Metric, share_metric


def metric(evidence: Predictions) -> Metric:
    pairs = zip(evidence.predicted, evidence.gold, strict=True)
    return share_metric([own == other for own, other in pairs])
