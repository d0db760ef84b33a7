"""Tatoeba as LASER (v1) has it: `tatoeba.xxx-eng.xxx` and `tatoeba.xxx-eng.eng`, line by line."""

from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.formats.parallel_sentences import SentenceFiles


class Entry(SentenceFiles):
    path: Text = Field(
        pattern=r"\.[a-z]+-[a-z]+$",
        description=(
            "Path of both files without their last extension, such as `tatoeba-v1/tatoeba.fra-eng`."
        ),
    )

    def list_files(self, root: Path) -> list[Path]:
        codes = self.path.rpartition(".")[2].split("-")
        return [root / f"{self.path}.{code}" for code in codes]
