"""The languages of what is nearest to a sentence in a pool of several languages."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workflow_scripts.embedding.principal_components import principal_components, remove_components
from workflow_scripts.retrieval.suite_files import normalise
from workflow_scripts.retrieval.vector_search import nearest_others
from workflow_scripts.scoring.evidence import Evidence
from workflow_scripts.scoring.language_shares import share_of


@dataclass(frozen=True, kw_only=True)
class SentencePool(Evidence):
    """The vectors of n sentences, float64 [n, dimension], and the language of each.

    `most` is how many neighbours of each are sought.
    """

    vectors: np.ndarray
    languages: np.ndarray
    strings: Sequence[int]
    most: int

    @cached_property
    def rows_of(self) -> dict[str, np.ndarray]:
        """The rows of each language, in the order in which languages occur."""
        names = dict.fromkeys(self.languages.tolist())
        return {name: np.flatnonzero(self.languages == name) for name in names}

    @cached_property
    def nearest(self) -> np.ndarray:
        """The languages of the nearest others of each, by cosine, [n, most]."""
        return self._nearest(self.vectors)

    @cached_property
    def nearest_pcr(self) -> np.ndarray:
        """The same where each language is without its own first principal component."""
        vectors = self.vectors.copy()
        for rows in self.rows_of.values():
            side = vectors[rows]
            remove_components(side, principal_components(side))
            vectors[rows] = side
        return self._nearest(vectors)

    def _nearest(self, vectors: np.ndarray) -> np.ndarray:
        scaled = normalise(vectors, "vectors", self.strings)
        return self.languages[nearest_others(scaled, self.most)[0]]

    def own(self, shown: np.ndarray) -> np.ndarray:
        """Return the share of its own language among those `shown` for each, float64 [n]."""
        return (shown == self.languages[:, None]).mean(axis=1)

    def shares(self, shown: np.ndarray, metric: str) -> dict[str, tuple[float, int]]:
        """Return, by the names that go with a metric of the own language, the share of each.

        It is that among those `shown` for the queries of each language, with their number.
        """
        return {
            share_of(metric, query, other): (float((shown[rows] == other).mean()), len(rows))
            for query, rows in self.rows_of.items()
            for other in self.rows_of
        }
