"""The processed layout of BioSyn and SapBERT: `*.concept` query files and `id||name` dictionaries.

A query line is `document||start|end||type||mention||ids`; mentions and ids of a composite are
joined by `|` or `+`. Digits, case, punctuation and abbreviations were already dealt with upstream.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entity_linking import LinkingEntry, Mention, linking_set
from workflow_scripts.datasets.items import LinkingSet
from workflow_scripts.delimited import Layout, read_rows

_WHAT = "document||span||type||mention||ids (5 fields)"
_QUERY = Layout((4, 5), _WHAT, exact=True, delimiter="||")


class Entry(LinkingEntry):
    path: Text = Field(description="The folder of a split, such as ncbi-disease/processed_test.")

    def list_files(self, root: Path) -> list[Path]:
        return [*_query_paths(root / self.path), *self.dictionary_paths(root)]

    def read(self, root: Path) -> LinkingSet:
        return linking_set(root, self, _mentions(root / self.path))


def _query_paths(folder: Path) -> list[Path]:
    # an absent folder, or one without queries, is returned by the name that it lacks
    if not folder.is_dir():
        return [folder]
    return sorted(folder.glob("*.concept")) or [folder / "*.concept"]


def split_mention(mention: str) -> list[str]:
    """Return the parts of a mention as upstream splits it, at each `|` and `+`, without blanks."""
    return [part for part in re.split(r"[|+]", mention) if part.strip()]


def _mentions(folder: Path) -> Iterator[Mention]:
    for path in _query_paths(folder):
        for line, (mention, ids) in read_rows(path, _QUERY):
            parts = split_mention(mention)
            yield Mention(path, line, " ".join(parts), ids, parts)
