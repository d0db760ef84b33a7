"""Tatoeba as LASER (v1) has it: `tatoeba.xxx-eng.xxx` and `tatoeba.xxx-eng.eng`, line by line."""

from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.formats.parallel_sentences import read_pairs
from workflow_scripts.datasets.items import ParallelSentences

ITEMS = ParallelSentences


class Entry(TextEntry):
    path: Text = Field(
        pattern=r"\.[a-z]+-[a-z]+$",
        description="Both files less their last part, such as `tatoeba-v1/tatoeba.fra-eng`.",
    )


def list_files(root: Path, entry: Entry) -> list[Path]:
    codes = entry.path.rpartition(".")[2].split("-")
    return [root / f"{entry.path}.{code}" for code in codes]


def read(root: Path, entry: Entry) -> ParallelSentences:
    return read_pairs(list_files(root, entry))
