"""Multi-SimLex: one list of 1,888 concept pairs, translated and scored in each language.

`translation.csv` holds the words (columns `ENG 1`, `ENG 2`, ...), `scores.csv` the mean score
from 0 to 6 (column `ENG`, ...); both are proper comma-separated files with quoting and an ID.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from pydantic import field_validator

from workflow_scripts.configuration.blocks import Field, Text, mistake
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.scored_pairs import parse_gold
from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError, nearest_name

# Two-letter code of config -> code in the headers of the files.
_CODES = (
    "ar:ARA cy:CYM en:ENG es:SPA et:EST fi:FIN fr:FRA he:HEB pl:POL ru:RUS sw:SWA yue:YUE zh:CMN"
)
LANGUAGE_COLUMNS = dict(code.split(":") for code in _CODES.split())


class ConceptPairsEntry(TextEntry):
    ITEMS: ClassVar = SimilaritySet

    path: Text = Field("multi-simlex", description="Folder of translation.csv and scores.csv.")

    def list_files(self, root: Path) -> list[Path]:
        return [root / self.path / "translation.csv", root / self.path / "scores.csv"]

    def concept_pairs(
        self, root: Path, languages: list[str]
    ) -> Iterator[list[tuple[str, str, float | None]]]:
        """Yield for each concept pair (word 1, word 2, score) in each of the languages.

        The two files are joined by ID. A word may be empty and a score None: the concept table that
        some copies are rebuilt from leaves about 1% of cells empty.
        """
        codes = [LANGUAGE_COLUMNS[language] for language in languages]
        words_path, scores_path = self.list_files(root)
        scores = {
            pair_id: (line, values) for line, pair_id, values in _read_columns(scores_path, codes)
        }
        columns = [f"{code} {number}" for code in codes for number in (1, 2)]
        for line, identity, words in _read_columns(words_path, columns):
            if identity not in scores:
                raise UserError(
                    f"{words_path}:{line}",
                    f"ID {identity!r} has no row in {scores_path}",
                    "fetch both files again",
                )
            score_line, values = scores[identity]
            scale = (0.0, 6.0, scores_path, score_line)
            golds = [parse_gold(value, *scale) if value.strip() else None for value in values]
            yield list(zip(words[::2], words[1::2], golds, strict=True))


class Entry(ConceptPairsEntry):
    @field_validator("language")
    @classmethod
    def _known(cls, language: str) -> str:
        return known_language(language)

    def read(self, root: Path) -> SimilaritySet:
        """Return the pairs of the language; one with an empty word or score is dropped, counted."""
        pairs = SimilaritySet()
        for [(left, right, gold)] in self.concept_pairs(root, [self.language]):
            if not (left.strip() and right.strip()) or gold is None:
                pairs.drop("empty_cell")
            else:
                pairs.add(left, right, gold, self.language)
        return pairs


def known_language(language: str) -> str:
    if language not in LANGUAGE_COLUMNS:
        raise mistake(
            f"{language!r} is not in Multi-SimLex; {nearest_name(language, LANGUAGE_COLUMNS)}"
        )
    return language


def _read_columns(path: Path, columns: list[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Yield (line number, ID, fields of the columns)."""
    layout = Layout(["ID", *columns], delimiter=",", unique=["ID"])
    for line, (identity, *values) in read_rows(path, layout):
        yield line, identity.strip(), values
