"""Sentences and their translations in two files; Tatoeba's have a format of their own."""

from pathlib import Path
from typing import ClassVar

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import ParallelSentences
from workflow_scripts.datasets.rows import read_aligned_lines, require_strings


class SentenceFiles(TextEntry):
    """Two files, line by line."""

    ITEMS: ClassVar = ParallelSentences

    def read(self, root: Path) -> ParallelSentences:
        """Return the pairs; `UserError` for blank lines and unequal lengths."""
        paths, pairs = self.list_files(root), ParallelSentences()
        for line, sentences in read_aligned_lines(paths):
            for sentence, path in zip(sentences, paths, strict=True):
                require_strings([sentence], "a sentence", path, line)
            pairs.add(*sentences)
        return pairs


class Entry(SentenceFiles):
    left: Text = Field(description="File of sentences.")
    right: Text = Field(description="File of their translations, line by line (into English).")

    def list_files(self, root: Path) -> list[Path]:
        return [root / self.left, root / self.right]
