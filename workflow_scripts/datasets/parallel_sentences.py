"""Sentences and their translations in two files, line by line, such as the Tatoeba test sets.

No table of the paper uses them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.aligned_lines import read_aligned_lines
from workflow_scripts.datasets.items import ParallelSentences, require_strings
from workflow_scripts.datasets.options import Option

OPTIONS = {"left": Option((str,)), "right": Option((str,))}


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the two files."""
    return [root / options["left"], root / options["right"]]


def read(root: Path, options: Mapping[str, Any]) -> ParallelSentences:
    """Return the pairs; `UserError` for files of different length and an empty sentence."""
    paths = list_files(root, options)
    pairs = ParallelSentences([], [])
    for line, (left, right) in read_aligned_lines(paths):
        for sentence, path in zip((left, right), paths, strict=True):
            require_strings([sentence], "a sentence", path, line)
        pairs.left.append(left)
        pairs.right.append(right)
    return pairs
