"""QNLI of GLUE: does the sentence hold the answer to the question (paper Figure 4)?

The columns are index, question, sentence, label. The paper scores dev: test has no labels.
"""

from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry, one_file
from workflow_scripts.datasets.items import LabelledPairs
from workflow_scripts.datasets.pair_rows import labelled_pairs, read_pair_rows

ITEMS = LabelledPairs
list_files = one_file
_LABELS = {"not_entailment": 0, "entailment": 1}


class Entry(TextEntry):
    path: Text = Field("qnli/dev.tsv", description="A file of GLUE, or a sample of one as JSON.")


def read(root: Path, entry: Entry) -> LabelledPairs:
    path = root / entry.path
    rows = read_pair_rows(path, ["question", "sentence", "label"])
    return labelled_pairs(rows, _LABELS, [path], "a question or sentence")
