"""Quora Question Pairs: do two questions ask the same (paper Figure 7)?

GLUE's files and Kaggle's have the columns id, qid1, qid2, question1, question2, is_duplicate.
"""

import random
from pathlib import Path

from workflow_scripts.configuration.blocks import Count, Field, Text, WholeNumber
from workflow_scripts.datasets.entry import TextEntry, one_file
from workflow_scripts.datasets.items import LabelledPairs
from workflow_scripts.datasets.pair_rows import label_number, read_pair_rows
from workflow_scripts.errors import UserError

ITEMS = LabelledPairs
list_files = one_file
_LABELS = {"0": 0, "1": 1}


class Entry(TextEntry):
    path: Text = Field("qqp/train.tsv", description="A file of GLUE or Kaggle, or a JSON sample.")
    size: WholeNumber | None = Field(None, description="Draw so many pairs at random; else all.")
    seed: Count = Field(0, description="Of the sample.")


def read(root: Path, entry: Entry) -> LabelledPairs:
    """Return the pairs, or a sample of them in the file's order; label 1 says that they ask alike.

    Dropped and counted are rows that GLUE's conversion broke (some questions hold a line end, so
    that rows lack columns) and pairs with an empty question.
    """
    path = root / entry.path
    columns = ["question1", "question2", "is_duplicate"]
    pairs = LabelledPairs()
    rows: list[tuple[str, str, int]] = []
    for line, fields in read_pair_rows(path, columns, keep_short=True):
        if not fields:
            pairs.drop("broken_row")
        elif not (fields[0].strip() and fields[1].strip()):
            pairs.drop("empty_question")
        else:
            rows.append((fields[0], fields[1], label_number(fields[2], _LABELS, path, line)))
    chosen = range(len(rows))
    if entry.size is not None:
        if entry.size > len(rows):
            raise UserError(
                path,
                f"`size` is {entry.size}, there are {len(rows)} pairs",
                "give a number up to that or leave it out",
            )
        chosen = sorted(random.Random(entry.seed).sample(chosen, entry.size))
        pairs.drop("not_sampled", len(rows) - entry.size)
    for index in chosen:
        pairs.add(*rows[index])
    return pairs
