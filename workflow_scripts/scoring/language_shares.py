"""The names of the metrics of language bias, for its task and for figures."""

# how many are counted as nearest, the primary number first
NEIGHBOURS = (10, 1, 100)


def own_share(k: int, without_components: bool) -> str:
    """Return the metric of the own language's share among k neighbours, over all queries."""
    return f"own_language{'_pcr' if without_components else ''}@{k}"


def share_of(metric: str, query: str, retrieved: str) -> str:
    """Return the metric of the share of language `retrieved` for queries of `query` alone."""
    return f"{metric.replace('own_language', 'share')}/{query}/{retrieved}"
