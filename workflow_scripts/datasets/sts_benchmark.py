"""STS Benchmark: `sts-{train,dev,test}.csv`, which are tab-separated in spite of the name.

No header, quoting off, seven to nine columns: genre, source file, year, number, score, sentence 1,
sentence 2, and sometimes two columns of origin.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.items import SimilaritySet, parse_gold, require_strings
from workflow_scripts.datasets.options import Option
from workflow_scripts.files import read_rows

OPTIONS = {"path": Option((str,), "sts-benchmark")}
LOWEST, HIGHEST = 0.0, 5.0
_SOURCE, _SCORE, _LEFT, _RIGHT = 1, 4, 5, 6


def split_path(root: Path, path: str, split: str) -> Path:
    """Return the file of a split."""
    return root / path / f"sts-{split}.csv"


def read_sentence_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of rows that have both sentences; `UserError` where not."""
    what = "an STS Benchmark row of genre, file, year, number, score, sentence, sentence"
    for line, fields in read_rows(path, 7, what):
        require_strings(fields[_LEFT : _RIGHT + 1], "a sentence", path, line)
        yield line, fields


def read_sentences(path: Path) -> list[str]:
    """Return the sentences of both columns, row by row."""
    return [sentence for _, fields in read_sentence_rows(path) for sentence in fields[5:7]]


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the one file of the split."""
    return [split_path(root, options["path"], options["split"])]


def read(root: Path, options: Mapping[str, Any]) -> SimilaritySet:
    """Return the pairs of a split; `subset` is the source file, such as MSRvid.

    Raises `UserError` for a missing file, a malformed row or a score outside 0-5.
    """
    path = split_path(root, options["path"], options["split"])
    pairs = SimilaritySet([], [], [], [])
    for line, fields in read_sentence_rows(path):
        pairs.left.append(fields[_LEFT])
        pairs.right.append(fields[_RIGHT])
        pairs.gold.append(parse_gold(fields[_SCORE], LOWEST, HIGHEST, path, line))
        pairs.subset.append(fields[_SOURCE])
    return pairs
