"""Texts, or pairs of them, with a class or a score: what classifiers are trained and tested on.

The sets of SentEval (MR, CR, SUBJ, MPQA, SST2, TREC, MRPC, SICK), reviews with stars, inference in
many languages, and others of their layouts.
"""

from pathlib import Path
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from workflow_scripts.configuration.blocks import Field, Whitespace, mistake
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import LabelledTexts
from workflow_scripts.datasets.labelled_rows import (
    PARTS,
    Part,
    Parts,
    Shares,
    read_parts,
    without_blanks,
)
from workflow_scripts.datasets.labels import SCALE, Labels
from workflow_scripts.errors import UserError

# labels in a message
_MOST_SHOWN = 20


class Entry(TextEntry):
    ITEMS: ClassVar = LabelledTexts

    whitespace: Whitespace = Field(
        "collapsed",
        description="SentEval joins words by single spaces; `kept`: unchanged.",
    )
    all: Parts | None = Field(
        None, description="For a set without splits: every text is tested, by cross-validation."
    )
    train: Parts | None = Field(
        None, description="Texts to train on; files of a list are concatenated."
    )
    development: Parts | None = Field(
        None, description="Texts to choose settings on; by default folds of the training texts."
    )
    test: Parts | None = Field(None, description="Texts to test on.")
    divided: Shares | None = Field(
        None,
        description=(
            "Divide `all` (or `train`, without `all`) into parts: the share of each as a whole "
            "number, drawn with a fixed seed; rows with the same first text stay together."
        ),
    )
    features: Literal["senteval", "all"] = Field(
        "senteval",
        description=(
            "For pairs, what a classifier sees: abs(u - v) and u * v; with `all` also u and v "
            "(CMLM, section 4.5.2)."
        ),
    )

    @model_validator(mode="after")
    def _parts_of_one_way(self) -> Self:
        given: set[str] = {*self._given()}
        made: set[str] = set(self.divided or ())
        if given == {"all"}:
            given = made or given
        elif made:
            if made != {"train", "development"} or given != {"train", "test"}:
                raise mistake(
                    "`divided` makes train and test of `all`, or train and development of `train`"
                )
            given |= made
        if self.task == "relatedness" and given != {"train", "development", "test"}:
            raise mistake("give `train`, `development` and `test`: relatedness is learnt by them")
        if given != {"all"} and given - {"development"} != {"train", "test"}:
            raise mistake("give `all` alone, or `train` and `test`, with `development` or not")
        return self

    def _given(self) -> dict[str, list[Part]]:
        return {name: parts for name in PARTS if (parts := getattr(self, name)) is not None}

    def sources(self) -> list[tuple[str, list[Part]]]:
        """Return each part of the set, those made by dividing too, with what it is read from."""
        given, made = self._given(), self.divided or {}
        divided = None if not made else "all" if "all" in given else "train"
        sources = [(name, divided if name in made else name) for name in PARTS]
        return [
            (name, given[source])
            for name, source in sources
            if source in given and (name in made or name != divided)
        ]

    def list_files(self, root: Path) -> list[Path]:
        return [
            file for parts in self._given().values() for part in parts for file in part.files(root)
        ]

    def read(self, root: Path) -> LabelledTexts:
        """Return the texts with their labels as they are written, part by part; a blank one is ".".

        Within a part the shortest come first, by words, as in SentEval, whose folds depend on it: a
        blank text has none.
        """
        items = LabelledTexts()
        labels = Labels(SCALE if self.task == "relatedness" else None)
        learnt: set[str] | None = None
        columns = 0
        for name, parts in self.sources():
            shares = self.divided if name in (self.divided or ()) else None
            rows = read_parts(root, parts, name, shares, labels)
            columns = columns or len(rows[0][0])
            if other := next((len(texts) for texts, _ in rows if len(texts) != columns), None):
                files = ", ".join(str(path) for part in parts for path in part.files(root))
                what = f"texts with {other} column, but {columns} in another part"
                raise UserError(files, what, "give all parts single texts, or all parts pairs")
            for texts, label in sorted(rows, key=lambda row: (*map(_words, row[0]), row[1])):
                items.add(without_blanks(texts), label, name)
            learnt = learnt or {label for _, label in rows}
            if self.task == "classification" and (new := {label for _, label in rows} - learnt):
                where = labels.place_of(min(new))
                known = ", ".join(sorted(learnt)[:_MOST_SHOWN])
                what = f"label {min(new)!r} is not among those to train on: {known}"
                raise UserError(where, what, "correct the label or the files to train on")
        return items


def _words(text: str) -> int:
    return len(text.split())
