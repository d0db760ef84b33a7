"""A corpus that a config has not: rows that are tuned on it show a dash, and the reason."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.corpora.block import CorpusBlock
from workflow_scripts.errors import UserError


class Options(CorpusBlock):
    holds = "words"

    reason: Text = Field(description="Why it does not exist.")

    def absent(self) -> str | None:
        return self.reason

    def list_files(self, root: Path) -> list[Path]:
        return []

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[str]:
        raise UserError(None, f"this corpus does not exist ({self.reason})", "give it another kind")
