"""The share of sentences whose translation into English is nearest; each side without its first
principal component (CMLM, section 5.2).
"""

from workflow_scripts.scoring.nearest_translations import Bitext
from workflow_scripts.scoring.weighted_metrics import Metric, share_metric


def metric(evidence: Bitext) -> Metric:
    return share_metric(evidence.nearest_pcr[0] == evidence.gold)
