"""Texts, or pairs of them, with a class or a score: what classifiers are trained and tested on.

The sets of SentEval (MR, CR, SUBJ, MPQA, SST2, TREC, MRPC, SICK) and others of their layouts.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Self

from pydantic import model_validator

from workflow_scripts.configuration.blocks import Block, Field, Text, mistake
from workflow_scripts.datasets.entry import TextEntry, paths_of
from workflow_scripts.datasets.items import LabelledTexts
from workflow_scripts.datasets.pair_rows import read_pair_rows
from workflow_scripts.datasets.rows import malformed, read_aligned_lines, require_strings
from workflow_scripts.files import read_lines

ITEMS = LabelledTexts
PARTS = ("all", "train", "development", "test")
# what SentEval makes of a blank line, which CR and MPQA have some of
_BLANK = "."


class Part(Block):
    path: Text | list[Text] | dict[str | int, Text] = Field(
        description="A file with the labels in it, {label: file}, or files line by line, the last "
        "of labels."
    )
    columns: list[Text] | None = Field(
        None,
        description="Columns of the texts and, last, of the label, in the file's header, or their "
        "keys in JSON.",
    )
    label: Literal["first", "last"] = Field(
        "first",
        description="Of a file without header: whether the label stands before the first space or "
        "behind the last tab.",
    )
    label_end: Text | None = Field(
        None, description="Labels are cut off before it, as TREC's `NUM:dist` before `:`."
    )
    encoding: Literal["utf-8", "iso-8859-1"] = Field(
        "utf-8", description="TREC's training file is not UTF-8."
    )


class Entry(TextEntry):
    all: Part | None = Field(
        None, description="A set without splits: every text is tested, by folds."
    )
    train: Part | None = Field(None, description="Texts to train on.")
    development: Part | None = Field(
        None, description="Texts to choose settings on; without, folds of those to train on."
    )
    test: Part | None = Field(None, description="Texts to test on.")

    @model_validator(mode="after")
    def _parts_of_one_way(self) -> Self:
        given = {name for name, _ in _parts(self)}
        if given != {"all"} and given - {"development"} != {"train", "test"}:
            raise mistake("give `all` alone, or `train` and `test`, with `development` or not")
        return self


def _parts(entry: Entry) -> list[tuple[str, Part]]:
    return [(name, part) for name in PARTS if (part := getattr(entry, name)) is not None]


def list_files(root: Path, entry: Entry) -> list[Path]:
    return [path for _, part in _parts(entry) for path in paths_of(root, part.path)]


def read(root: Path, entry: Entry) -> LabelledTexts:
    """Return the texts with their labels as they are written, part by part; a blank one is ".".

    Within a part the shortest come first, by words, as in SentEval, whose folds hang on it.
    """
    found = LabelledTexts()
    for name, part in _parts(entry):
        rows = []
        for texts, label in _rows(root, part):
            if part.label_end is not None:
                label = label.partition(part.label_end)[0]
            rows.append(([text if text.strip() else _BLANK for text in texts], label))
        for texts, label in sorted(rows, key=lambda row: (*map(_words, row[0]), row[1])):
            found.add(texts, label, name)
    return found


def _words(text: str) -> int:
    return len(text.split())


def _rows(root: Path, part: Part) -> Iterator[tuple[list[str], str]]:
    paths = paths_of(root, part.path)
    if isinstance(part.path, dict):
        for label, path in zip(part.path, paths, strict=True):
            yield from (([text], str(label)) for text in read_lines(path, part.encoding))
    elif isinstance(part.path, list) or part.columns is not None:
        columns = part.columns or []
        aligned = isinstance(part.path, list)
        rows = read_aligned_lines(paths) if aligned else read_pair_rows(paths[0], columns)
        for line, (*texts, label) in rows:
            require_strings([*texts, label], "a text or label", paths[0], line)
            yield texts, label
    else:
        for line, text in enumerate(read_lines(paths[0], part.encoding), start=1):
            if part.label == "first":
                label, _, sentence = text.partition(" ")
            else:
                sentence, _, label = text.rpartition("\t")
            if not (label.strip() and sentence.strip()):
                order = {"first": "label sentence", "last": "sentence<TAB>label"}[part.label]
                raise malformed(paths[0], line, f"expected {order}, found {text[:60]!r}")
            yield [sentence], label
