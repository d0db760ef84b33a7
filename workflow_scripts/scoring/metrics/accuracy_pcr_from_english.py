"""The share of English sentences whose translation is nearest; each side without its first
principal component (CMLM, section 5.2).
"""

from workflow_scripts.scoring.nearest_translations import Bitext
from workflow_scripts.scoring.weighted_metrics import Metric, share_metric


def metric(evidence: Bitext) -> Metric:
    return share_metric(evidence.nearest_pcr[1] == evidence.gold)
