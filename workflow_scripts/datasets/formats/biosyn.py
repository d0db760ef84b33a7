"""The processed layout of BioSyn and SapBERT: `*.concept` query files and `id||name`
dictionaries.

A query line is `document||start|end||type||mention||ids`; mentions and ids of a composite are
joined by `|` or `+`. Digits, case, punctuation and abbreviations were already dealt with
upstream.
"""

import re
from pathlib import Path
from typing import ClassVar

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entity_linking import Mention, MentionColumns
from workflow_scripts.delimited import Layout


class Entry(MentionColumns):
    LAYOUT: ClassVar = Layout(
        (4, 5), "document||span||type||mention||ids (5 fields)", exact=True, delimiter="||"
    )

    path: Text = Field(description="The folder of a split, such as ncbi-disease/processed_test.")

    def query_paths(self, root: Path) -> list[Path]:
        # an absent folder, or one without queries, is returned by the name that it lacks
        folder = root / self.path
        queries = sorted(folder.glob("*.concept")) or [folder / "*.concept"]
        return queries if folder.is_dir() else [folder]

    def as_mention(self, path: Path, line: int, text: str, ids: str) -> Mention:
        parts = [part for part in re.split(r"[|+]", text) if part.strip()]
        return Mention(path, line, " ".join(parts), ids, parts)
