"""Several corpora one after another, such as the words of two languages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from workflow_scripts.configuration.blocks import Distinct, Field, Id, Text
from workflow_scripts.corpora.block import CorpusBlock
from workflow_scripts.files import read_lines

RANDOM = False


class Options(CorpusBlock):
    of: Annotated[Distinct[Id], Field(min_length=2, description="Ids of two or more corpora.")]
    language: Text | None = Field(None, description="Of the strings; for the reader only.")

    def corpora(self) -> list[str]:
        return self.of


def list_files(root: Path, options: Options) -> list[Path]:
    return [root / f"{other}.txt" for other in options.of]


def strings(root: Path, options: Options, seed: int) -> Iterator[str]:
    for path in list_files(root, options):
        yield from read_lines(path)
