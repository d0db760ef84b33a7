"""AskAPatient: phrases of patients' posts, in ten folds.

As its authors give it out (Zenodo 55013) a row is id<TAB>preferred name<TAB>phrase, in ISO-8859-1.
SapBERT's authors give out the phrases of each fold as `id||phrase` with a dictionary.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entity_linking import LinkingEntry, Mention, linking_set
from workflow_scripts.datasets.items import LinkingSet
from workflow_scripts.delimited import Layout, read_rows

# columns of phrase and id
_ORIGINAL = Layout((3, 1), "a row of id<TAB>preferred name<TAB>phrase", encoding="iso-8859-1")
_PREPROCESSED = Layout((2, 1), "id||phrase", exact=True, delimiter="||")


class Entry(LinkingEntry):
    path: Text = Field("askapatient", description="Folder of the folds.")
    fold: Annotated[int, Field(ge=0, le=9)] | Literal["all"] = Field(
        0, description="A fold, or all ten: SapBERT reports the mean over folds of like size."
    )
    form: Literal["original", "preprocessed"] = Field(
        "original", description="*.test.txt, or SapBERT's *.test.preprocessed_query.txt."
    )

    def _query_paths(self, root: Path) -> list[Path]:
        # the split is called validation in the files' names
        split = {"dev": "validation"}.get(self.split, self.split)
        ending = {"original": "txt", "preprocessed": "preprocessed_query.txt"}[self.form]
        folds = range(10) if self.fold == "all" else [self.fold]
        return [root / self.path / f"AskAPatient.fold-{fold}.{split}.{ending}" for fold in folds]

    def list_files(self, root: Path) -> list[Path]:
        return [*self._query_paths(root), *self.dictionary_paths(root)]

    def _phrases(self, root: Path) -> Iterator[Mention]:
        for path in self._query_paths(root):
            layout = _ORIGINAL if self.form == "original" else _PREPROCESSED
            for line, (phrase, ids) in read_rows(path, layout):
                yield Mention(path, line, phrase, ids)

    def read(self, root: Path) -> LinkingSet:
        return linking_set(root, self, self._phrases(root), what="a phrase")
