"""Sentences of several languages in one pool: a file for each language, such as PAWS-X's.

What is retrieved there by language is Figure 2 of CMLM (section 5.2).
"""

from pathlib import Path
from typing import Annotated, ClassVar

from workflow_scripts.configuration.blocks import Distinct, Field, Text, WholeNumber
from workflow_scripts.datasets.entry import DatasetEntry
from workflow_scripts.datasets.items import SentencePool
from workflow_scripts.datasets.rows import require_strings
from workflow_scripts.delimited import REMOVE, Layout, read_rows
from workflow_scripts.errors import UserError


class Entry(DatasetEntry):
    ITEMS: ClassVar = SentencePool

    path: Text = Field(
        pattern=r"\{language\}", description="Tab-separated files, with {language} in their name."
    )
    languages: Annotated[Distinct[Text], Field(min_length=2)] = Field(
        description="Languages of the pool, one file each."
    )
    column: WholeNumber = Field(1, description="Column of the sentence, from 1.")
    untranslated: Text | None = Field(
        None, description="Placeholder for a missing translation; it is left out."
    )

    @property
    def language(self) -> str:
        """All of them, as pairs across two have theirs."""
        return "-".join(self.languages)

    def list_files(self, root: Path) -> list[Path]:
        return [root / self.path.replace("{language}", language) for language in self.languages]

    def read(self, root: Path) -> SentencePool:
        """Return the sentences language by language; one repeated within a language counts once."""
        pool = SentencePool()
        what = f"a row with a sentence in column {self.column}"
        layout = Layout([self.column], what, not_header=("a sentence", REMOVE))
        for language, path in zip(self.languages, self.list_files(root), strict=True):
            seen: set[str] = set()
            for line, [sentence] in read_rows(path, layout):
                require_strings([sentence], "a sentence", path, line)
                if sentence == self.untranslated:
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
