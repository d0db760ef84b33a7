"""The files that a figure is made from, by the names under which its block mentions them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, read_lines
from workflow_scripts.retrieval.suite_files import field, read_datasets
from workflow_scripts.scoring.details import cosines_key, labels_key
from workflow_scripts.scoring.tidy_scores import Score


@dataclass(frozen=True)
class FigureInputs:
    """Scores and details by file; `records` and `texts` are files that are read when needed.

    Every method raises `UserError` for a file that the block names but the command was not given:
    the workflow would not see it change.
    """

    scores: Mapping[str, Sequence[Score]]
    details: Mapping[str, Mapping[str, np.ndarray]]
    records: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()

    def pairs(self, path: str, dataset: str) -> tuple[np.ndarray, np.ndarray]:
        """Return cosines, float64 [pairs], and labels, int8 [pairs] of 0 and 1, of a details file.

        Raises `UserError` if it lacks them or they do not belong together.
        """
        check_given(path, self.details, "--details")
        cosines = self.details[path].get(cosines_key(dataset))
        labels = self.details[path].get(labels_key(dataset))
        if cosines is None or labels is None:
            raise UserError(
                f"{path}: no cosines and labels of dataset `{dataset}`; it must be one of task "
                "pair-classification: score the encoder again, or mend the figure"
            )
        if cosines.shape != labels.shape or set(np.unique(labels)) != {0, 1}:
            raise UserError(
                f"{path}: dataset `{dataset}` needs a label of 0 or 1 for each cosine, and pairs "
                "of both; check the data set and score the encoder again"
            )
        return cosines.astype(np.float64), labels

    def corpus_size(self, path: str) -> int:
        """Return the number of strings that the record of a corpus states."""
        check_given(path, self.records, "--records")
        record = read_json(path)
        size = record.get("strings") if isinstance(record, dict) else None
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise UserError(f"{path}: no number of `strings` in it; sample the corpus again")
        return size

    def corpus_strings(self, path: str) -> list[str]:
        """Return the strings of a corpus."""
        check_given(path, self.texts, "--texts")
        return read_lines(path)

    def words_of_pairs(self, items: str, strings: str, dataset: str) -> list[str]:
        """Return both words of every pair of a similarity data set: left ones, then right ones.

        Raises `UserError` for a data set of another task, or strings of another suite.
        """
        check_given(items, self.texts, "--texts")
        check_given(strings, self.texts, "--texts")
        datasets = read_datasets(items)
        if dataset not in datasets:
            known = ", ".join(datasets)
            raise UserError(f"{items}: no dataset `{dataset}`; it has {known}: mend the figure")
        entry = datasets[dataset]
        if entry["task"] != "similarity":
            raise UserError(
                f"{items}: dataset `{dataset}` is of task {entry['task']}; "
                "buckets of words need one of task similarity"
            )
        ids = [*field(entry, "left", dataset), *field(entry, "right", dataset)]
        texts = read_lines(strings)
        if not all(0 <= number < len(texts) for number in ids):
            raise UserError(
                f"{strings}: {len(texts)} strings, fewer than {items} refers to; "
                "they are of different suites: read the suite again"
            )
        return [texts[number] for number in ids]


def check_given(path: str, given: Iterable[str], option: str) -> None:
    """Raise `UserError` if a file that the figure names is not among those given."""
    if path not in given:
        raise UserError(f"{path}: named by the figure but not given with {option}; add it")
