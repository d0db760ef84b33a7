"""Sentences with a class: transfer sets of SentEval (MR, CR, ...), in no table of the paper."""

from pathlib import Path
from typing import Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry, one_file
from workflow_scripts.datasets.items import LabelledSentences
from workflow_scripts.datasets.rows import malformed
from workflow_scripts.files import read_lines

ITEMS = LabelledSentences
list_files = one_file


class Entry(TextEntry):
    path: Text | dict[str | int, Text] = Field(
        description="A file with the labels in it, or {label: file}."
    )
    label: Literal["first", "last"] = Field(
        "first", description="Whether it stands before the first space or behind the last tab."
    )
    encoding: Literal["utf-8", "iso-8859-1"] = Field(
        "utf-8", description="TREC's training file is not UTF-8."
    )


def read(root: Path, entry: Entry) -> LabelledSentences:
    """Return the sentences with their labels as they are written.

    Blank lines of a file with one label are dropped and counted (CR and MPQA have some).
    """
    labels = [None] if isinstance(entry.path, str) else list(map(str, entry.path))
    found = LabelledSentences()
    for file_label, path in zip(labels, list_files(root, entry), strict=True):
        for line, text in enumerate(read_lines(path, entry.encoding), start=1):
            if file_label is not None:
                label, sentence = file_label, text
            elif entry.label == "first":
                label, _, sentence = text.partition(" ")
            else:
                sentence, _, label = text.rpartition("\t")
            if file_label is None and not (label.strip() and sentence.strip()):
                order = {"first": "label sentence", "last": "sentence<TAB>label"}[entry.label]
                raise malformed(path, line, f"expected {order}, found {text[:60]!r}")
            if sentence.strip():
                found.add(sentence, label)
            else:
                found.drop("empty_sentence")
    return found
