"""A sample of sentences: of lines, of mined parallel text, or of sets of sentence pairs."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationInfo, field_validator

from workflow_scripts.configuration.blocks import Field, Text, mistake
from workflow_scripts.corpora.block import SampledBlock
from workflow_scripts.corpora.wikimatrix import read_wikimatrix
from workflow_scripts.datasets.scored_pairs import STS_BENCHMARK
from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.files import read_lines

# The two strings of a pair: in the files of GLUE, of the Stanford NLI group, of the STS Benchmark.
_PAIRS = {
    "qnli": Layout(["question", "sentence"], delimiter=None),
    "nli": Layout(["sentence1", "sentence2"], delimiter=None),
    "sts-benchmark": replace(STS_BENCHMARK, columns=(6, 7)),
}
_SIDES = {"left": 1, "right": 2}


class Options(SampledBlock):
    holds = "sentences"
    mem_mb = 8000
    minutes = 30

    path: Text = Field(description="File of the sentences.")
    format: Literal["lines", "sts-benchmark", "qnli", "nli", "wikimatrix"] = Field(
        "lines",
        description="One per line, both columns of the STS Benchmark, both strings of the pairs of "
        "QNLI (question, sentence) or of NLI (SNLI and MultiNLI: premise, hypothesis), or one side "
        "of WikiMatrix (margin score, sentence, sentence) from a margin on.",
    )
    side: Literal["left", "right"] = Field(
        "left", description="For wikimatrix: which side to take."
    )
    margin: float = Field(1.04, description="For wikimatrix: the lowest margin score.")
    language: Text | None = Field(None, description="Language of the sentences, for readers only.")

    @field_validator("side", "margin")
    @classmethod
    def _of_wikimatrix(cls, value: Any, info: ValidationInfo) -> Any:
        if info.data.get("format", "wikimatrix") != "wikimatrix":
            raise mistake("it is only for format wikimatrix; remove it or change the format")
        return value

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> Iterable[str]:
        path = root / self.path
        if self.format == "wikimatrix":
            column = _SIDES[self.side]
            return (fields[column] for fields in read_wikimatrix(path, self.margin))
        if self.format in _PAIRS:
            return (text for _, pair in read_rows(path, _PAIRS[self.format]) for text in pair)
        return read_lines(path)
