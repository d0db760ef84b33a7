"""SemEval STS 2012-2016: the released layout and the SentEval one.

A year is a folder of `STS.input.<subset>.txt` with `STS.gs.<subset>.txt` (2016 as released:
`STS2016.input...` with four columns), line by line, without header. All subsets are put together,
which is the "all" setting of the paper's Table 3: one correlation over all pairs of a year. An
empty line in a gold file is a pair that nobody scored; it is dropped by its position.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.items import (
    SimilaritySet,
    count_dropped,
    parse_gold,
    require_strings,
)
from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, read_rows

OPTIONS = {
    "path": Option((str,)),
    # Which subsets to read, such as [FNWN, headlines, OnWN]; all of the folder if left out.
    "subsets": Option((list,), None),
}
LOWEST, HIGHEST = 0.0, 5.0


def _subset_of(path: Path) -> str:
    return path.name.split(".input.", 1)[1].removesuffix(".txt")


def _gold_path(input_path: Path) -> Path:
    return input_path.with_name(input_path.name.replace(".input.", ".gs.", 1))


def _input_paths(folder: Path, subsets: list[str] | None) -> list[Path]:
    found = {_subset_of(path): path for path in sorted(folder.glob("STS*.input.*.txt"))}
    if subsets is None:
        return list(found.values()) or [folder / "STS.input.*.txt"]
    # An absent subset is returned under the name it should have, so that it can be named.
    return [found.get(name, folder / f"STS.input.{name}.txt") for name in subsets]


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the input and gold files; what is missing by its expected name."""
    folder = root / options["path"]
    if not folder.is_dir() and options["subsets"] is None:
        return [folder]
    inputs = _input_paths(folder, options["subsets"])
    return [path for one in inputs for path in (one, _gold_path(one))]


def read(root: Path, options: Mapping[str, Any]) -> SimilaritySet:
    """Return all scored pairs of a year; `subset` is the subset's name.

    Raises `UserError` for a missing file, a row without two sentences, a score outside 0-5, and
    input and gold files of different length.
    """
    pairs = SimilaritySet([], [], [], [], {})
    for input_path in _input_paths(root / options["path"], options["subsets"]):
        gold_path = _gold_path(input_path)
        rows = list(read_rows(input_path, 2, "a row of sentence<TAB>sentence"))
        scores = read_lines(gold_path)
        if len(rows) != len(scores):
            raise UserError(
                f"{input_path} has {len(rows)} lines but {gold_path} has {len(scores)}; "
                "line i of one must belong to line i of the other: fetch both files again"
            )
        for (line, fields), score in zip(rows, scores, strict=True):
            if not score.strip():
                count_dropped(pairs.dropped, "no_gold_score")
                continue
            require_strings(fields[:2], "a sentence", input_path, line)
            pairs.left.append(fields[0])
            pairs.right.append(fields[1])
            pairs.gold.append(parse_gold(score, LOWEST, HIGHEST, gold_path, line))
            pairs.subset.append(_subset_of(input_path))
    return pairs
