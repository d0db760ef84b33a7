"""A development set: what settings and stopping points are chosen on, never a test set."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workflow_scripts import rooms
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.files import read_lines
from workflow_scripts.retrieval.rankings import rows_by_dataset
from workflow_scripts.retrieval.suite_files import read_datasets
from workflow_scripts.scoring.measurement import measure_datasets
from workflow_scripts.scoring.tidy_scores import EncoderIds


@dataclass(frozen=True)
class DevelopmentSet:
    """The data set to score on."""

    dataset: str
    entry: dict[str, Any]  # its block of items.json
    strings: list[str]  # of the suite
    linking_similarity: str | None = None  # "dot" or "cosine", for entity linking alone
    threads: int = 1

    def score(self, vectors: np.ndarray) -> float:
        """Return the first metric of the set's task on vectors [strings, dimension].

        Raises `UserError` where it is undefined, and for vectors that are not finite.
        """
        if not np.isfinite(vectors).all():
            raise UserError(
                "the tuned model gives vectors that are not finite; lower learning_rate"
            )
        task, ranked = rooms.load("scoring.tasks", self.entry["task"]), None
        if "links" in task.NEEDS:
            # Only now: FAISS is for such a task alone.
            from workflow_scripts.retrieval.entity_links import rank_names

            similarity = self.linking_similarity or "dot"
            ranked = rows_by_dataset(
                rank_names(vectors, self.entry, self.dataset, 1, similarity, threads=self.threads)
            )
        encoder = EncoderIds("model", "recipe", "corpus", 0)
        (measured,) = measure_datasets(encoder, {self.dataset: self.entry}, vectors, ranked)
        return measured.values[task.METRICS[0]]


def read_development_set(
    strings: str | Path,
    items: str | Path,
    dataset: str,
    linking_similarity: str | None = None,
    threads: int = 1,
) -> DevelopmentSet:
    """Return a data set of the suite in the files; `UserError` if it or a file is missing."""
    datasets = read_datasets(items)
    if dataset not in datasets:
        raise UserError(f"{items}: no data set {dataset}; {nearest_name(dataset, datasets)}")
    choices = (linking_similarity, threads)
    return DevelopmentSet(dataset, datasets[dataset], read_lines(strings), *choices)
