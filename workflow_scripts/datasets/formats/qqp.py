"""Quora Question Pairs: do two questions ask the same (paper Figure 7)?

GLUE's files and Kaggle's have the columns id, qid1, qid2, question1, question2, is_duplicate.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from workflow_scripts.configuration.blocks import Count, Field, Text, WholeNumber
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import LabelledPairs
from workflow_scripts.datasets.labelled_pairs import label_number
from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError

_COLUMNS = ("question1", "question2", "is_duplicate")
_LABELS = {"0": 0, "1": 1}


class Entry(TextEntry):
    ITEMS: ClassVar = LabelledPairs

    path: Text = Field("qqp/train.tsv", description="A file of GLUE or Kaggle, or a JSON sample.")
    size: WholeNumber | None = Field(
        None, description="Draw this many pairs at random; all by default."
    )
    seed: Count = Field(0, description="Seed of the sample.")

    def read(self, root: Path) -> LabelledPairs:
        """Return the pairs, or a sample of them in the file's order; label 1: they ask the same.

        Dropped and counted are rows that GLUE's conversion broke (some questions hold a line end,
        so that rows lack columns) and pairs with an empty question.
        """
        path = root / self.path
        pairs = LabelledPairs()
        rows: list[tuple[str, str, int]] = []
        for line, fields in read_rows(path, Layout(_COLUMNS, delimiter=None, keep_short=True)):
            if not fields:
                pairs.drop("broken_row")
            elif not (fields[0].strip() and fields[1].strip()):
                pairs.drop("empty_question")
            else:
                rows.append((fields[0], fields[1], label_number(fields[2], _LABELS, path, line)))
        chosen: Sequence[int] = range(len(rows))
        if self.size is not None:
            if self.size > len(rows):
                raise UserError(
                    path,
                    f"`size` is {self.size}, but there are {len(rows)} pairs",
                    "give a number up to that or leave it out",
                )
            chosen = sorted(random.Random(self.seed).sample(chosen, self.size))
            pairs.drop("not_sampled", len(rows) - self.size)
        for index in chosen:
            pairs.add(*rows[index])
        return pairs
