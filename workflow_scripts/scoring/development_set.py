"""A development set: what settings and stopping points are chosen on, never a test set."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workflow_scripts import plugins
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_lines
from workflow_scripts.retrieval.rankings import rows_by_dataset
from workflow_scripts.retrieval.suite_files import read_dataset
from workflow_scripts.scoring.measurement import measure_dataset
from workflow_scripts.scoring.own_predictions import own_predictions
from workflow_scripts.scoring.tidy_scores import EncoderIds

if TYPE_CHECKING:
    from workflow_scripts.embedding.own_classifier import OwnClassifier


@dataclass(frozen=True)
class DevelopmentSet:
    """The data set to score on."""

    dataset: str
    entry: dict[str, Any]  # its block of items.json
    strings: list[str]  # its own; of labelled texts those of the part `development`
    linking_similarity: str | None = None  # "dot" or "cosine", for entity linking alone
    threads: int = 1

    def score(self, vectors: np.ndarray, classifier: "OwnClassifier | None" = None) -> float:
        """Return the primary metric of the set's task on vectors [strings, dimension].

        A set of task classification needs the classifier that is trained. Raises `UserError` where
        the metric is undefined, and for vectors that are not finite.
        """
        if not np.isfinite(vectors).all():
            raise UserError(
                None, "the tuned model gives vectors that are not finite", "lower learning_rate"
            )
        task = plugins.load("scoring.tasks", self.entry["task"])
        ranked: Any = None
        if "links" in task.NEEDS:
            # Only now: FAISS is for such a task alone.
            from workflow_scripts.retrieval.entity_links import rank_names

            similarity = self.linking_similarity or "dot"
            names = rank_names(
                vectors, self.entry, self.dataset, 1, similarity, threads=self.threads
            )
            ranked = rows_by_dataset(names)[self.dataset]
        if "predictions" in task.NEEDS:
            if classifier is None:
                raise UserError(
                    f"development set {self.dataset}",
                    "the recipe's method trains no classifier to score",
                    "use method classify, or a set of another task",
                )
            ranked = own_predictions(self.dataset, self.entry, vectors, classifier)
        encoder = EncoderIds("model", "recipe", "corpus", 0)
        measured = measure_dataset(encoder, self.entry, vectors, [task.PRIMARY], ranked)
        return measured.values[task.PRIMARY]


def read_development_set(
    strings: str | Path,
    items: str | Path,
    dataset: str,
    linking_similarity: str | None = None,
    threads: int = 1,
) -> DevelopmentSet:
    """Return the data set of the files; `UserError` if they are missing or another's."""
    entry, texts = read_dataset(items), read_lines(strings)
    if entry["dataset"] != dataset:
        problem = f"is of data set {entry['dataset']}, not {dataset}"
        raise UserError(items, problem, f"give the items of {dataset}")
    if "parts" in entry:
        with damaged_file_error(f"{items} or {strings}"):
            entry, texts = _development_part(dataset, entry, texts)
    return DevelopmentSet(dataset, entry, texts, linking_similarity, threads)


def _development_part(
    dataset: str, entry: dict[str, Any], strings: list[str]
) -> tuple[dict[str, Any], list[str]]:
    """Return what is chosen on of labelled texts, as if it were their test part, and its strings.

    Raises `UserError` for a set without a part `development`.
    """
    rows = [row for row, part in enumerate(entry["parts"]) if part == "development"]
    if not rows:
        raise UserError(
            f"data set {dataset}", "has no part `development` to choose on", "divide it"
        )
    used = sorted({string for row in rows for string in entry["texts"][row]})
    number_of = {string: number for number, string in enumerate(used)}
    texts = [[number_of[string] for string in entry["texts"][row]] for row in rows]
    labels = [entry["labels"][row] for row in rows]
    own = {**entry, "texts": texts, "labels": labels, "parts": ["test"] * len(rows)}
    return own, [strings[string] for string in used]
