"""Sentences of several languages in one pool: a file for each language, such as PAWS-X's.

What is retrieved there by language is Figure 2 of CMLM (section 5.2).
"""

from pathlib import Path
from typing import Annotated

from workflow_scripts.configuration.blocks import Distinct, Field, Text, WholeNumber
from workflow_scripts.datasets.entry import DatasetEntry
from workflow_scripts.datasets.items import SentencePool
from workflow_scripts.datasets.rows import REMOVE, refuse_header, require_strings
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_rows

ITEMS = SentencePool


class Entry(DatasetEntry):
    path: Text = Field(
        pattern=r"\{language\}", description="Tab-separated files, with {language} in their name."
    )
    languages: Annotated[Distinct[Text], Field(min_length=2)] = Field(
        description="Languages of the pool, a file each."
    )
    column: WholeNumber = Field(1, description="Column of the sentence, from 1.")
    untranslated: Text | None = Field(
        None, description="What stands for a sentence without translation; it is left out."
    )

    @property
    def language(self) -> str:
        """All of them, as pairs across two have theirs."""
        return "-".join(self.languages)


def list_files(root: Path, entry: Entry) -> list[Path]:
    return [root / entry.path.replace("{language}", one) for one in entry.languages]


def read(root: Path, entry: Entry) -> SentencePool:
    """Return the sentences language by language; one that is repeated within one counts once."""
    pool = SentencePool()
    what = f"a row with a sentence in column {entry.column}"
    for language, path in zip(entry.languages, list_files(root, entry), strict=True):
        seen: set[str] = set()
        for line, fields in read_rows(path, entry.column, what):
            if line == 1:
                refuse_header(fields, "a sentence", REMOVE, path, line)
            sentence = fields[entry.column - 1]
            require_strings([sentence], "a sentence", path, line)
            if sentence == entry.untranslated:
                pool.drop("untranslated")
            elif sentence in seen:
                pool.drop("repeated")
            else:
                seen.add(sentence)
                pool.add(sentence, language)
        if not seen:
            raise UserError(
                path,
                f"no sentence of language {language!r}",
                "fetch the file again or take the language out of `languages`",
            )
    return pool
