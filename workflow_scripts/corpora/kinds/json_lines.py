"""The strings under one key of a file of JSON lines: an object a line, blank lines ignored."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.corpora.block import SampledBlock
from workflow_scripts.delimited import read_json_lines


class Options(SampledBlock):
    holds = "strings"
    mem_mb = 8000
    minutes = 30

    path: Text = Field(description="The file, a JSON object a line; gzipped if it ends in `.gz`.")
    key: Text = Field(description="The key of each object that has the string, such as `title`.")

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[str]:
        return (text for _, [text] in read_json_lines(root / self.path, [self.key]))
