"""Language bias: the languages of what is nearest to a sentence in a pool of several languages.

CMLM, section 5.2 and Figure 2. `own_language@k` is the share of the query's own language among its
k nearest by cosine, itself left out; `own_language_expected` what it would be if language played no
role. `pcr`: each language without its own first principal component. The translations of a query
are among what can be found, so that a share below the expected one is no error.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from workflow_scripts.scoring.measurement import Measurement

NEIGHBOURS = (10, 1, 100)
EXPECTED = "own_language_expected"


def own_share(k: int, without_components: bool) -> str:
    """Return the metric of the own language's share among k neighbours, over all queries."""
    return f"own_language{'_pcr' if without_components else ''}@{k}"


def share_of(metric: str, query: str, retrieved: str) -> str:
    """Return the metric of the share of language `retrieved` for queries of `query` alone."""
    return f"{metric.replace('own_language', 'share')}/{query}/{retrieved}"


METRICS = (*(own_share(k, pcr) for k in NEIGHBOURS for pcr in (False, True)), EXPECTED)
ITEMS = "SentencePool"
NEEDS: tuple[str, ...] = ()
DEVELOPMENT = False


def measure(dataset: str, entry: dict, vectors: "np.ndarray", ranked: Any = None) -> "Measurement":
    """Return the shares of languages over `sentences` with `languages`; queries are resampled.

    Beside METRICS the share of each language for the queries of each (`share@10/de/en`), of so many
    queries, without interval. Raises `UserError` for a pool that is too small.
    """
    import numpy as np

    from workflow_scripts.embedding.principal_components import (
        principal_components,
        remove_components,
    )
    from workflow_scripts.retrieval.suite_files import gather_rows, normalise
    from workflow_scripts.retrieval.vector_search import nearest_others
    from workflow_scripts.scoring.measurement import measure_items
    from workflow_scripts.scoring.weighted_metrics import accuracy_metric

    strings, languages = entry["sentences"], np.array(entry["languages"])
    rows_of = {
        name: np.flatnonzero(languages == name) for name in dict.fromkeys(languages.tolist())
    }
    matrix = gather_rows(vectors, strings, "vectors").astype(np.float64)
    metrics, values, numbers = {}, {}, {}
    for without_components in (False, True):
        if without_components:
            for rows in rows_of.values():
                side = matrix[rows]
                remove_components(side, principal_components(side))
                matrix[rows] = side
        rows, _ = nearest_others(normalise(matrix, "vectors", strings), max(NEIGHBOURS))
        near = languages[rows]
        for k in NEIGHBOURS:
            metric, shown = own_share(k, without_components), near[:, :k]
            metrics[metric] = accuracy_metric((shown == languages[:, None]).mean(axis=1))
            for query, rows in rows_of.items():
                for other in rows_of:
                    name = share_of(metric, query, other)
                    values[name] = float((shown[rows] == other).mean())
                    numbers[name] = len(rows)
    sizes = np.array([len(rows) for rows in rows_of.values()])
    values[EXPECTED] = float(sizes @ (sizes - 1) / (len(strings) * (len(strings) - 1)))
    return measure_items(dataset, entry, len(strings), metrics, values=values, numbers=numbers)
