"""The strings in a column of a table: CSV, TSV, JSON lines or Parquet, as its name says."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.corpora.block import SampledBlock, Size
from workflow_scripts.string_columns import read_columns


class Options(SampledBlock):
    holds = "strings"
    mem_mb = 8000
    minutes = 30

    path: Text = Field(
        description="The file: .csv, .tsv, .jsonl (an object a line) or .parquet; the first three "
        "gzipped if it ends in .gz."
    )
    column: Text = Field(
        description="The column, as the header names it; a number from 1 in a file without header."
    )
    size: Size = Field("all", description="How many strings.")
    where: dict[Text, str] = Field({}, description="Values of columns: which rows are read.")

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[str]:
        rows = read_columns(root / self.path, [self.column], self.where)
        return (text for _, [text] in rows)
