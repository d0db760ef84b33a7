"""Multi-SimLex: one list of 1,888 concept pairs, translated and scored in each language.

`translation.csv` holds the words (columns `ENG 1`, `ENG 2`, ...), `scores.csv` the mean score
from 0 to 6 (column `ENG`, ...); both are proper comma-separated files with quoting and an ID.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.items import SimilaritySet, count_dropped, parse_gold
from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.files import read_text

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


def _paths(root: Path, options: Mapping[str, Any]) -> tuple[Path, Path]:
    folder = root / options["path"]
    return folder / "translation.csv", folder / "scores.csv"


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the file of words and the file of scores."""
    return list(_paths(root, options))


def _read_columns(path: Path, columns: list[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Yield (line number, ID, fields of the columns); `UserError` for whatever is malformed."""
    rows = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        header = next(rows, [])
        missing = [name for name in ["ID", *columns] if name not in header]
        if missing:
            raise UserError(
                f"{path}:1: the header has no column {missing[0]!r} (it has {', '.join(header)}); "
                "choose a language of the file or fetch the file again"
            )
        positions = [header.index(name) for name in columns]
        seen: set[str] = set()
        for row in rows:
            line = rows.line_num
            if not row:
                continue
            if len(row) != len(header):
                raise UserError(
                    f"{path}:{line}: expected {len(header)} fields as in the header, "
                    f"found {len(row)}; mend or remove the line"
                )
            identity = row[header.index("ID")].strip()
            if identity in seen:
                raise UserError(f"{path}:{line}: ID {identity!r} occurs twice; remove one row")
            seen.add(identity)
            yield line, identity, [row[position].strip() for position in positions]
    except csv.Error as error:
        raise UserError(
            f"{path}:{rows.line_num}: not valid CSV ({error}); mend or remove the line"
        ) from error


def read(root: Path, options: Mapping[str, Any]) -> SimilaritySet:
    """Return the pairs of `options["language"]`, joined by ID.

    `subset` is the language. A pair with an empty word or score is dropped and counted (the
    concept table that some copies are rebuilt from leaves about 1% of cells empty). Raises
    `UserError` for an unknown language, malformed CSV, a score outside 0-6, and an ID without
    score.
    """
    language = options["language"]
    if language not in LANGUAGE_COLUMNS:
        hint = nearest_name(language, list(LANGUAGE_COLUMNS))
        raise UserError(f"language {language!r} is not in Multi-SimLex; {hint}")
    code = LANGUAGE_COLUMNS[language]
    words_path, scores_path = _paths(root, options)
    scores = {
        identity: (line, score) for line, identity, [score] in _read_columns(scores_path, [code])
    }
    pairs = SimilaritySet([], [], [], [], {})
    for line, identity, words in _read_columns(words_path, [f"{code} 1", f"{code} 2"]):
        if identity not in scores:
            raise UserError(
                f"{words_path}:{line}: ID {identity!r} has no row in {scores_path}; "
                "fetch both files again"
            )
        score_line, score = scores[identity]
        if not (all(words) and score):
            count_dropped(pairs.dropped, "empty_cell")
            continue
        pairs.left.append(words[0])
        pairs.right.append(words[1])
        pairs.gold.append(parse_gold(score, LOWEST, HIGHEST, scores_path, score_line))
        pairs.subset.append(language)
    return pairs
