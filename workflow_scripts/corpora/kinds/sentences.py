"""A sample of sentences: of lines, of mined parallel text, or of sets of sentence pairs."""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationInfo, field_validator

from workflow_scripts.configuration.blocks import Field, Text, mistake
from workflow_scripts.corpora.block import SampledBlock, one_file
from workflow_scripts.datasets.formats.sts_benchmark import read_benchmark_rows
from workflow_scripts.datasets.pair_rows import read_pair_rows
from workflow_scripts.datasets.rows import malformed
from workflow_scripts.files import read_lines, read_rows

RANDOM = True
list_files = one_file
# Columns of a pair's two strings in the files of GLUE and of the Stanford NLI group.
_PAIRS = {"qnli": ["question", "sentence"], "nli": ["sentence1", "sentence2"]}


class Options(SampledBlock):
    mem_mb = 8000
    minutes = 30

    path: Text = Field(description="File of the sentences.")
    format: Literal["lines", "sts-benchmark", "qnli", "nli", "wikimatrix"] = Field(
        "lines",
        description="One per line, both columns of the STS Benchmark, both strings of the pairs of "
        "QNLI (question, sentence) or of NLI (SNLI and MultiNLI: premise, hypothesis), or one side "
        "of WikiMatrix (margin score, sentence, sentence) from a margin on.",
    )
    side: Literal["left", "right"] = Field("left", description="Of wikimatrix, the language.")
    margin: float = Field(1.04, description="Of wikimatrix, the lowest margin score.")
    language: Text | None = Field(None, description="Of the sentences; for the reader only.")

    @field_validator("side", "margin")
    @classmethod
    def _of_wikimatrix(cls, value: Any, info: ValidationInfo) -> Any:
        if info.data.get("format", "wikimatrix") != "wikimatrix":
            raise mistake("it is for format wikimatrix; remove it or change the format")
        return value


def strings(root: Path, options: Options, seed: int) -> Iterable[str]:
    path = root / options.path
    if options.format == "sts-benchmark":
        return (text for _, fields in read_benchmark_rows(path) for text in fields[5:7])
    if options.format == "wikimatrix":
        return read_wikimatrix(path, options.side, options.margin)
    if options.format in _PAIRS:
        return (text for _, pair in read_pair_rows(path, _PAIRS[options.format]) for text in pair)
    return read_lines(path)


def read_wikimatrix(path: Path, side: str, margin: float) -> Iterator[str]:
    """Yield one side of a WikiMatrix file: rows of margin score<TAB>sentence<TAB>sentence.

    `side` is "left" or "right" in the file's name. Pairs are taken from `margin` on (1.04 is what
    the authors of WikiMatrix advise for good translations; Schwenk et al. 2021).
    """
    column = {"left": 1, "right": 2}[side]
    for line, fields in read_rows(path, 3, "a row of margin score<TAB>sentence<TAB>sentence"):
        try:
            score = float(fields[0])
        except ValueError:
            score = math.nan
        if math.isnan(score):
            raise malformed(path, line, f"expected a margin score first, found {fields[0]!r}")
        if score >= margin:
            yield fields[column]
