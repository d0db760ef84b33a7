"""Sentences with a class: the transfer sets of SentEval (MR, CR, SUBJ, MPQA, SST, TREC).

No table of the paper uses them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.items import LabelledSentences, count_dropped
from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines

OPTIONS = {
    # A file with the labels in it, or {label: file} with a file for each label.
    "path": Option((str, dict)),
    # Where the label is: `first` before the first space (TREC, SST with five classes), `last`
    # behind the last tab (SST with two).
    "label": Option((str,), "first", choices=("first", "last")),
    # TREC's training file is not UTF-8.
    "encoding": Option((str,), "utf-8", choices=("utf-8", "iso-8859-1")),
}


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the file, or that of each label."""
    given = options["path"]
    return [root / path for path in ([given] if isinstance(given, str) else given.values())]


def _split_label(text: str, where: str) -> tuple[str, str]:
    """Return (label, sentence)."""
    if where == "first":
        label, _, sentence = text.partition(" ")
    else:
        sentence, _, label = text.rpartition("\t")
    return label, sentence


def read(root: Path, options: Mapping[str, Any]) -> LabelledSentences:
    """Return the sentences with their labels as they are written.

    Blank lines of a file with one label are dropped and counted (CR and MPQA have some). Raises
    `UserError` for a line that lacks its label or sentence.
    """
    given = options["path"]
    labels = [None] if isinstance(given, str) else list(map(str, given))
    found = LabelledSentences([], [])
    for label, path in zip(labels, list_files(root, options), strict=True):
        for line, text in enumerate(read_lines(path, options["encoding"]), start=1):
            if label is None:
                one, sentence = _split_label(text, options["label"])
                if not one.strip() or not sentence.strip():
                    order = (
                        "label sentence" if options["label"] == "first" else "sentence<TAB>label"
                    )
                    raise UserError(
                        f"{path}:{line}: expected {order}, found {text[:60]!r}; "
                        "mend or remove the line"
                    )
            else:
                one, sentence = label, text
                if not sentence.strip():
                    count_dropped(found.dropped, "empty_sentence")
                    continue
            found.sentences.append(sentence)
            found.labels.append(one)
    return found
