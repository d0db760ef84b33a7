"""Pairs of strings with a label: what the readers of such sets share."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import LabelledPairs
from workflow_scripts.datasets.rows import require_strings
from workflow_scripts.delimited import Layout, Row, malformed, read_rows


def label_number(text: str, labels: Mapping[str, int], path: Path, line: int) -> int:
    """Return the number of the label written in `text`; `UserError` if it is none of `labels`."""
    if (label := text.strip()) not in labels:
        raise malformed(path, line, f"expected a label among {', '.join(labels)}, found {text!r}")
    return labels[label]


class LabelledColumns(TextEntry):
    """A file with the columns left string, right string and label.

    `labels()` says which are 0 and 1; `STRINGS` is what errors call a string.
    """

    ITEMS: ClassVar = LabelledPairs
    LAYOUT: ClassVar[Layout]
    LABELS: ClassVar[dict[str, int]]
    STRINGS: ClassVar = "a string"

    def layout(self) -> Layout:
        return self.LAYOUT

    def labels(self) -> dict[str, int]:
        return self.LABELS

    def rows(self, paths: list[Path]) -> Iterator[Row]:
        return read_rows(paths[0], self.layout())

    def read(self, root: Path) -> LabelledPairs:
        paths, labels, pairs = self.list_files(root), self.labels(), LabelledPairs()
        for line, (left, right, label) in self.rows(paths):
            require_strings([left, right], self.STRINGS, paths[0], line)
            # of several files the last has the labels
            pairs.add(left, right, label_number(label, labels, paths[-1], line))
        return pairs
