"""Labelled pairs of sentences: PAWS-X, XNLI, SNLI, MultiNLI, MRPC, ParaPhraser and the like.

No table of the paper uses them. Labels are made 0 and 1: XNLI's `entailment` against its two other
labels, say.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.aligned_lines import read_aligned_lines
from workflow_scripts.datasets.items import LabelledPairs, require_strings
from workflow_scripts.datasets.options import Option
from workflow_scripts.datasets.pair_rows import label_number, read_pair_rows
from workflow_scripts.files import read_rows

OPTIONS = {
    # A file of pairs, or three files line by line: the left strings, the right ones, the labels.
    "path": Option((str, list)),
    # The columns of left string, right string and label in the file's header, or their keys in
    # JSON (see the module on pair rows). Without: tab-separated in this order, no header.
    "columns": Option((list,), None),
    # The labels that become 1, and those that become 0; any other is an error.
    "positive": Option((list,)),
    "negative": Option((list,)),
}


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the file, or the three of them."""
    given = options["path"]
    return [root / path for path in ([given] if isinstance(given, str) else given)]


def _rows(paths: list[Path], columns: list[str] | None) -> Iterator[tuple[int, list[str]]]:
    if len(paths) > 1:
        yield from read_aligned_lines(paths)
    elif columns is not None:
        yield from read_pair_rows(paths[0], columns)
    else:
        yield from read_rows(paths[0], 3, "a row of string<TAB>string<TAB>label")


def read(root: Path, options: Mapping[str, Any]) -> LabelledPairs:
    """Return the pairs of a file.

    Raises `UserError` for a malformed row, an empty string, a label that is not listed, and files
    of different length.
    """
    paths = list_files(root, options)
    labels = {str(label): 0 for label in options["negative"]}
    labels |= {str(label): 1 for label in options["positive"]}
    pairs = LabelledPairs([], [], [])
    for line, (left, right, label, *_) in _rows(paths, options["columns"]):
        require_strings([left, right], "a string", paths[0], line)
        pairs.left.append(left)
        pairs.right.append(right)
        pairs.label.append(label_number(label, labels, paths[-1], line))
    return pairs
