"""The STS Benchmark machine-translated into other languages (stsb-multi-mt, by DeepL).

`stsb-<language>-<split>.csv` is comma-separated with quotes: sentence, sentence, score; no header.
"""

from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.rows import malformed, read_csv_rows
from workflow_scripts.datasets.scored_pairs import ScoredRow, scored_pairs

ITEMS = SimilaritySet


class Entry(TextEntry):
    path: Text = Field("stsb-multi-mt", description="Folder of the files.")


def list_files(root: Path, entry: Entry) -> list[Path]:
    return [root / entry.path / f"stsb-{entry.language}-{entry.split}.csv"]


def _rows(path: Path, language: str) -> Iterator[ScoredRow]:
    for line, fields in read_csv_rows(path):
        if len(fields) != 3:
            what = f"expected a row of sentence,sentence,score (3 fields), found {len(fields)}"
            raise malformed(path, line, what)
        yield ScoredRow(line, path, *fields, language)


def read(root: Path, entry: Entry) -> SimilaritySet:
    [path] = list_files(root, entry)
    return scored_pairs(_rows(path, entry.language), 0.0, 5.0)
