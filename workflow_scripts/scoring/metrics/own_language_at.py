"""The share of the query's own language among its k nearest by cosine, itself left out.

Below it the share of each language for the queries of each, `share@k/query/other`.
"""

from workflow_scripts.scoring.language_shares import own_share
from workflow_scripts.scoring.neighbour_languages import SentencePool
from workflow_scripts.scoring.weighted_metrics import Metric, share_metric


def metric(evidence: SentencePool, k: int) -> Metric:
    return share_metric(evidence.own(evidence.nearest[:, :k]))


def details(evidence: SentencePool, k: int) -> dict[str, tuple[float, int]]:
    return evidence.shares(evidence.nearest[:, :k], own_share(k, False))
