"""Sentences and their translations in two files, such as Tatoeba's; in no table of the paper."""

from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import ParallelSentences
from workflow_scripts.datasets.rows import read_aligned_lines, require_strings

ITEMS = ParallelSentences


class Entry(TextEntry):
    left: Text = Field(description="File of sentences.")
    right: Text = Field(description="File of their translations, line by line.")


def list_files(root: Path, entry: Entry) -> list[Path]:
    return [root / entry.left, root / entry.right]


def read(root: Path, entry: Entry) -> ParallelSentences:
    paths = list_files(root, entry)
    pairs = ParallelSentences()
    for line, sentences in read_aligned_lines(paths):
        for sentence, path in zip(sentences, paths, strict=True):
            require_strings([sentence], "a sentence", path, line)
        pairs.add(*sentences)
    return pairs
