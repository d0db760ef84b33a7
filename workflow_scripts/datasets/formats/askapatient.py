"""AskAPatient: phrases of patients' posts, in ten folds.

As its authors release it (Zenodo 55013) a row is id<TAB>preferred name<TAB>phrase, in
ISO-8859-1. SapBERT's authors release the phrases of each fold as `id||phrase` with a
dictionary.
"""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.entity_linking import MentionColumns
from workflow_scripts.delimited import Layout


class Entry(MentionColumns):
    STRINGS: ClassVar = "a phrase"

    path: Text = Field("askapatient", description="Folder of the folds.")
    fold: Annotated[int, Field(ge=0, le=9)] | Literal["all"] = Field(
        0, description="A fold, or all ten: SapBERT reports the mean over folds of similar size."
    )
    form: Literal["original", "preprocessed"] = Field(
        "original", description="*.test.txt, or SapBERT's *.test.preprocessed_query.txt."
    )

    def query_paths(self, root: Path) -> list[Path]:
        # the split is called validation in the files' names
        split = {"dev": "validation"}.get(self.split, self.split)
        ending = {"original": "txt", "preprocessed": "preprocessed_query.txt"}[self.form]
        folds = range(10) if self.fold == "all" else [self.fold]
        return [root / self.path / f"AskAPatient.fold-{fold}.{split}.{ending}" for fold in folds]

    def layout(self) -> Layout:
        if self.form == "preprocessed":
            return Layout((2, 1), "id||phrase", exact=True, delimiter="||")
        what = "a row of id<TAB>preferred name<TAB>phrase"
        return Layout((3, 1), what, encoding="iso-8859-1")
