"""The share of queries with an accepted answer among their first k; to the depth of the search."""

from workflow_scripts.scoring.ranked_accuracy import Rankings, hits_at
from workflow_scripts.scoring.weighted_metrics import Metric, share_metric


def metric(evidence: Rankings, k: int) -> Metric | None:
    if k > evidence.depth:
        return None
    return share_metric(hits_at(k, evidence.ranked, evidence.concepts, evidence.gold))
