"""Quora Question Pairs: do two questions ask the same (paper Figure 7)?

GLUE's files and Kaggle's (`train.csv`) have the columns id, qid1, qid2, question1, question2,
is_duplicate.
"""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.items import LabelledPairs, count_dropped
from workflow_scripts.datasets.options import Option
from workflow_scripts.datasets.pair_rows import label_number, read_pair_rows
from workflow_scripts.errors import UserError

OPTIONS = {
    # A tsv of GLUE, a csv of Kaggle, or a sample as JSON (see the module on pair rows).
    "path": Option((str,), "qqp/train.tsv"),
    # Draw this many pairs at random, the same ones for the same seed; all if left out.
    "size": Option((int,), None),
    "seed": Option((int,), 0),
}
_LABELS = {"0": 0, "1": 1}


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the one file."""
    return [root / options["path"]]


def read(root: Path, options: Mapping[str, Any]) -> LabelledPairs:
    """Return the pairs, or a sample of them in the file's order; label 1 says that they ask alike.

    Dropped and counted are rows that GLUE's conversion broke (some questions hold a line end, so
    that rows lack columns) and pairs with an empty question. Raises `UserError` for a malformed
    header, a repeated id, an unknown label, and a size that is not to be had.
    """
    path = root / options["path"]
    columns = ["question1", "question2", "is_duplicate"]
    dropped: dict[str, int] = {}
    rows: list[tuple[str, str, int]] = []
    for line, fields in read_pair_rows(path, columns, keep_short=True):
        if not fields:
            count_dropped(dropped, "broken_row")
        elif not (fields[0].strip() and fields[1].strip()):
            count_dropped(dropped, "empty_question")
        else:
            rows.append((fields[0], fields[1], label_number(fields[2], _LABELS, path, line)))
    size = options["size"]
    if size is not None:
        if not 1 <= size <= len(rows):
            raise UserError(
                f"{path}: option 'size' cannot be {size}, there are {len(rows)} pairs; give a "
                "number up to that or leave it out"
            )
        chosen = random.Random(options["seed"]).sample(range(len(rows)), size)
        count_dropped(dropped, "not_sampled", len(rows) - size)
        rows = [rows[index] for index in sorted(chosen)]
    return LabelledPairs(
        [left for left, _, _ in rows],
        [right for _, right, _ in rows],
        [label for _, _, label in rows],
        dropped,
    )
