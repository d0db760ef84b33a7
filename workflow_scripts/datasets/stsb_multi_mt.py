"""The STS Benchmark machine-translated into other languages (stsb-multi-mt, by DeepL).

`stsb-<language>-<split>.csv` is comma-separated with quotes: sentence, sentence, score; no header.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.csv_rows import read_csv_rows
from workflow_scripts.datasets.items import SimilaritySet, parse_gold, require_strings
from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError

OPTIONS = {"path": Option((str,), "stsb-multi-mt")}
LOWEST, HIGHEST = 0.0, 5.0


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the one file of the language and split."""
    name = f"stsb-{options['language']}-{options['split']}.csv"
    return [root / options["path"] / name]


def read(root: Path, options: Mapping[str, Any]) -> SimilaritySet:
    """Return the pairs of a language and split; `subset` is the language.

    Raises `UserError` for malformed CSV, a row without three fields and a score outside 0-5.
    """
    [path] = list_files(root, options)
    pairs = SimilaritySet([], [], [], [])
    for line, fields in read_csv_rows(path):
        if len(fields) != 3:
            raise UserError(
                f"{path}:{line}: expected a row of sentence,sentence,score (3 fields), "
                f"found {len(fields)}; mend or remove the line"
            )
        require_strings(fields[:2], "a sentence", path, line)
        pairs.left.append(fields[0])
        pairs.right.append(fields[1])
        pairs.gold.append(parse_gold(fields[2], LOWEST, HIGHEST, path, line))
        pairs.subset.append(options["language"])
    return pairs
