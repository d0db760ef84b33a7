"""STS Benchmark: `sts-{train,dev,test}.csv`, which are tab-separated in spite of the name.

No header, quoting off, seven to nine columns: genre, source file, year, number, score, sentence 1,
sentence 2, and sometimes two columns of origin.
"""

from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.rows import require_strings
from workflow_scripts.datasets.scored_pairs import ScoredRow, scored_pairs
from workflow_scripts.files import read_rows

ITEMS = SimilaritySet


class Entry(TextEntry):
    path: Text = Field("sts-benchmark", description="Folder of the three files.")


def list_files(root: Path, entry: Entry) -> list[Path]:
    return [root / entry.path / f"sts-{entry.split}.csv"]


def read_benchmark_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of rows, which must have both sentences."""
    what = "an STS Benchmark row of genre, file, year, number, score, sentence, sentence"
    for line, fields in read_rows(path, 7, what):
        require_strings(fields[5:7], "a sentence", path, line)
        yield line, fields


def read(root: Path, entry: Entry) -> SimilaritySet:
    [path] = list_files(root, entry)
    rows = (
        ScoredRow(line, path, fields[5], fields[6], fields[4], fields[1])
        for line, fields in read_benchmark_rows(path)
    )
    return scored_pairs(rows, 0.0, 5.0)
