"""A corpus that a config has not: rows that are tuned on it show a dash, and the reason."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.corpora.block import CorpusBlock
from workflow_scripts.errors import UserError

RANDOM = False


class Options(CorpusBlock):
    holds = "words"

    reason: Text = Field(description="Why there is none.")

    def absent(self) -> str | None:
        return self.reason


def list_files(root: Path, options: Options) -> list[Path]:
    return []


def strings(root: Path, options: Options, seed: int, dropped: Counter[str]) -> Iterator[str]:
    raise UserError(None, f"there is no such corpus ({options.reason})", "give it another kind")
