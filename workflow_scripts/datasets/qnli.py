"""QNLI of GLUE: does the sentence hold the answer to the question (paper Figure 4)?

`dev.tsv` has the columns index, question, sentence, label. The test split has no labels, so the
paper scores the dev split.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.items import LabelledPairs, require_strings
from workflow_scripts.datasets.options import Option
from workflow_scripts.datasets.pair_rows import label_number, read_pair_rows

OPTIONS = {
    # A file of GLUE, or a sample of one as JSON (see the module on pair rows).
    "path": Option((str,), "qnli/dev.tsv"),
}
SENTENCES = ["question", "sentence"]
_LABELS = {"not_entailment": 0, "entailment": 1}


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the one file."""
    return [root / options["path"]]


def read(root: Path, options: Mapping[str, Any]) -> LabelledPairs:
    """Return the pairs of question and sentence; label 1 is entailment.

    Raises `UserError` for a malformed header or row, a repeated index and an unknown label.
    """
    path = root / options["path"]
    pairs = LabelledPairs([], [], [])
    for line, (question, sentence, label) in read_pair_rows(path, [*SENTENCES, "label"]):
        require_strings([question, sentence], "a question or sentence", path, line)
        pairs.left.append(question)
        pairs.right.append(sentence)
        pairs.label.append(label_number(label, _LABELS, path, line))
    return pairs
