"""Multi-SimLex: one list of 1,888 concept pairs, translated and scored in each language.

`translation.csv` holds the words (columns `ENG 1`, `ENG 2`, ...), `scores.csv` the mean score
from 0 to 6 (column `ENG`, ...); both are proper comma-separated files with quoting and an ID.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.csv_rows import read_headed_csv
from workflow_scripts.datasets.items import (
    SimilaritySet,
    count_dropped,
    parse_gold,
    require_new_id,
)
from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError, nearest_name

OPTIONS = {"path": Option((str,), "multi-simlex")}
LOWEST, HIGHEST = 0.0, 6.0
# Two-letter code of config -> code in the headers of the files.
LANGUAGE_COLUMNS = {
    "ar": "ARA",
    "cy": "CYM",
    "en": "ENG",
    "es": "SPA",
    "et": "EST",
    "fi": "FIN",
    "fr": "FRA",
    "he": "HEB",
    "pl": "POL",
    "ru": "RUS",
    "sw": "SWA",
    "yue": "YUE",
    "zh": "CMN",
}


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the file of words and the file of scores."""
    folder = root / options["path"]
    return [folder / "translation.csv", folder / "scores.csv"]


def _read_columns(path: Path, columns: list[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Yield (line number, ID, fields of the columns); `UserError` for whatever is malformed."""
    seen: set[str] = set()
    for line, fields in read_headed_csv(path, ["ID", *columns]):
        identity, *values = (field.strip() for field in fields)
        require_new_id(identity, seen, "ID", path, line)
        yield line, identity, values


def column_of(language: str) -> str:
    """Return the code of a language in the headers; `UserError` for one that is not there."""
    if language not in LANGUAGE_COLUMNS:
        hint = nearest_name(language, list(LANGUAGE_COLUMNS))
        raise UserError(f"language {language!r} is not in Multi-SimLex; {hint}")
    return LANGUAGE_COLUMNS[language]


def read_concept_pairs(
    root: Path, options: Mapping[str, Any], languages: list[str]
) -> Iterator[list[tuple[str, str, float | None]]]:
    """Yield for each concept pair (word 1, word 2, score) in each of the languages.

    The two files are joined by ID. A word may be empty and a score None: the concept table that
    some copies are rebuilt from leaves about 1% of cells empty. Raises `UserError` for an unknown
    language, malformed CSV, a score outside 0-6, a repeated ID, and an ID without scores.
    """
    codes = [column_of(language) for language in languages]
    words_path, scores_path = list_files(root, options)
    scores = {
        identity: (line, values) for line, identity, values in _read_columns(scores_path, codes)
    }
    columns = [f"{code} {number}" for code in codes for number in (1, 2)]
    for line, identity, words in _read_columns(words_path, columns):
        if identity not in scores:
            raise UserError(
                f"{words_path}:{line}: ID {identity!r} has no row in {scores_path}; "
                "fetch both files again"
            )
        score_line, values = scores[identity]
        golds = [
            parse_gold(value, LOWEST, HIGHEST, scores_path, score_line) if value else None
            for value in values
        ]
        yield list(zip(words[::2], words[1::2], golds, strict=True))


def read(root: Path, options: Mapping[str, Any]) -> SimilaritySet:
    """Return the pairs of `options["language"]`; `subset` is the language.

    A pair with an empty word or score is dropped and counted. Raises `UserError` as
    `read_concept_pairs` does.
    """
    pairs = SimilaritySet([], [], [], [], {})
    for [(left, right, gold)] in read_concept_pairs(root, options, [options["language"]]):
        if not (left and right) or gold is None:
            count_dropped(pairs.dropped, "empty_cell")
            continue
        pairs.left.append(left)
        pairs.right.append(right)
        pairs.gold.append(gold)
        pairs.subset.append(options["language"])
    return pairs
