"""The share of English sentences whose translation is nearest."""

from workflow_scripts.scoring.nearest_translations import Bitext
from workflow_scripts.scoring.weighted_metrics import Metric, share_metric


def metric(evidence: Bitext) -> Metric:
    return share_metric(evidence.nearest[1] == evidence.gold)
