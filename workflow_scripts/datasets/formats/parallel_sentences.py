"""Sentences and their translations in two files; Tatoeba's have a format of their own."""

from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import ParallelSentences
from workflow_scripts.datasets.rows import read_aligned_lines, require_strings

ITEMS = ParallelSentences


class Entry(TextEntry):
    left: Text = Field(description="File of sentences.")
    right: Text = Field(description="File of their translations, line by line (into English).")


def list_files(root: Path, entry: Entry) -> list[Path]:
    return [root / entry.left, root / entry.right]


def read(root: Path, entry: Entry) -> ParallelSentences:
    return read_pairs(list_files(root, entry))


def read_pairs(paths: list[Path]) -> ParallelSentences:
    """Return the pairs of two files, line by line; `UserError` for blank lines, unequal lengths."""
    pairs = ParallelSentences()
    for line, sentences in read_aligned_lines(paths):
        for sentence, path in zip(sentences, paths, strict=True):
            require_strings([sentence], "a sentence", path, line)
        pairs.add(*sentences)
    return pairs
