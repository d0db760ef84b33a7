"""Language bias: the languages of what is nearest to a sentence in a pool of several languages.

CMLM, section 5.2 and Figure 2. The translations of a query are among what can be found, so that a
share of its own language below `own_language_expected` is not an error.
"""

from typing import TYPE_CHECKING, Any

from workflow_scripts.scoring.language_shares import NEIGHBOURS, own_share

if TYPE_CHECKING:
    from workflow_scripts.scoring.neighbour_languages import SentencePool

PRIMARY = own_share(NEIGHBOURS[0], False)
ITEMS = "SentencePool"
NEEDS: tuple[str, ...] = ()
DEVELOPMENT = False


def evidence(dataset: str, entry: dict, vectors: Any, ranked: Any = None) -> "SentencePool":
    """Return the vectors and `languages` of `sentences`; queries are resampled.

    Raises `UserError` for a pool that is too small.
    """
    import numpy as np

    from workflow_scripts.retrieval.suite_files import gather_rows
    from workflow_scripts.scoring.neighbour_languages import SentencePool

    strings, languages = entry["sentences"], np.array(entry["languages"])
    rows = gather_rows(vectors, strings, "vectors").astype(np.float64)
    shown = {"languages": languages, "strings": strings, "most": max(NEIGHBOURS)}
    return SentencePool(n=len(strings), vectors=rows, **shown)
