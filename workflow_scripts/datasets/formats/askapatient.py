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
from workflow_scripts.datasets.rows import read_split_lines
from workflow_scripts.files import read_rows

ITEMS = LinkingSet


class Entry(LinkingEntry):
    path: Text = Field("askapatient", description="Folder of the folds.")
    fold: Annotated[int, Field(ge=0, le=9)] | Literal["all"] = Field(
        0, description="A fold, or all ten: SapBERT reports the mean over folds of like size."
    )
    form: Literal["original", "preprocessed"] = Field(
        "original", description="*.test.txt, or SapBERT's *.test.preprocessed_query.txt."
    )


def _query_paths(root: Path, entry: Entry) -> list[Path]:
    # the split is called validation in the files' names
    split = {"dev": "validation"}.get(entry.split, entry.split)
    ending = {"original": "txt", "preprocessed": "preprocessed_query.txt"}[entry.form]
    folds = range(10) if entry.fold == "all" else [entry.fold]
    return [root / entry.path / f"AskAPatient.fold-{fold}.{split}.{ending}" for fold in folds]


def list_files(root: Path, entry: Entry) -> list[Path]:
    return [*_query_paths(root, entry), *entry.dictionary_paths(root)]


def _phrases(path: Path, form: str) -> Iterator[Mention]:
    if form == "original":
        what = "a row of id<TAB>preferred name<TAB>phrase"
        for line, fields in read_rows(path, 3, what, encoding="iso-8859-1"):
            yield Mention(path, line, fields[2], fields[0])
    else:
        for line, (ids, phrase) in read_split_lines(path, "||", 2, "id||phrase"):
            yield Mention(path, line, phrase, ids)


def read(root: Path, entry: Entry) -> LinkingSet:
    phrases = (one for path in _query_paths(root, entry) for one in _phrases(path, entry.form))
    return linking_set(root, entry, phrases, what="a phrase")
