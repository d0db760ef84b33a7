"""A development set: what settings and stopping points are chosen on, never a test set."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workflow_scripts.datasets.catalogue import check_development_task
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.files import read_lines
from workflow_scripts.retrieval.suite_files import read_datasets
from workflow_scripts.scoring.suite_scores import score_datasets
from workflow_scripts.scoring.tidy_scores import EncoderIds


@dataclass(frozen=True)
class DevelopmentSet:
    """The data set to score on: `entry` is its block of items.json, `strings` those of the suite.

    `linking_similarity` ("dot" or "cosine") is for entity linking, None else.
    """

    dataset: str
    entry: dict[str, Any]
    strings: list[str]
    linking_similarity: str | None = None
    threads: int = 1

    def score(self, vectors: np.ndarray) -> float:
        """Return Spearman's correlation or accuracy@1 of vectors [number of strings, D].

        Raises `UserError` where it is undefined, and for vectors that are not finite.
        """
        if not np.isfinite(vectors).all():
            raise UserError(
                "the tuned model gives vectors that are not finite; lower learning_rate"
            )
        links = None
        if self.entry["task"] == "entity-linking":
            # Only now: FAISS is for this task alone.
            from workflow_scripts.retrieval.entity_links import rank_names

            links = rank_names(
                vectors,
                self.entry,
                self.dataset,
                1,
                self.linking_similarity or "dot",
                threads=self.threads,
            )
        encoder = EncoderIds("model", "recipe", "corpus", 0)
        (score,) = score_datasets(encoder, {self.dataset: self.entry}, vectors, links, (1,))
        return score.value


def read_development_set(
    strings: str | Path,
    items: str | Path,
    dataset: str,
    linking_similarity: str | None = None,
    threads: int = 1,
) -> DevelopmentSet:
    """Return a data set of the suite that the files `strings` and `items` (items.json) hold.

    Raises `UserError` for a missing or malformed file, items that lack the data set, and one of
    another task than similarity or entity linking.
    """
    datasets = read_datasets(items)
    if dataset not in datasets:
        raise UserError(f"{items}: no data set {dataset}; {nearest_name(dataset, datasets)}")
    check_development_task(dataset, datasets[dataset]["task"], f"the development set of {items}")
    return DevelopmentSet(
        dataset, datasets[dataset], read_lines(strings), linking_similarity, threads
    )
