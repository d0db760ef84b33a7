"""QNLI of GLUE: does the sentence hold the answer to the question (paper Figure 4)?

The columns are index, question, sentence, label. The paper scores dev: test has no labels.
"""

from typing import ClassVar

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.labelled_pairs import LabelledColumns
from workflow_scripts.delimited import Layout


class Entry(LabelledColumns):
    LAYOUT: ClassVar = Layout(("question", "sentence", "label"), delimiter=None)
    LABELS: ClassVar = {"not_entailment": 0, "entailment": 1}
    STRINGS: ClassVar = "a question or sentence"

    path: Text = Field("qnli/dev.tsv", description="A file of GLUE, or a sample of one as JSON.")
