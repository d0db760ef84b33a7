"""Blocks of config that name text files by their format."""

from collections.abc import Iterable, Iterator
from glob import glob
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field, model_validator

from workflow_scripts.configuration.blocks import Block, Text, WholeNumber, mistake
from workflow_scripts.corpora.text_cleaning import keys_of, split_sentences
from workflow_scripts.corpora.text_readers import (
    READERS,
    Document,
    read_documents,
    read_identified_lines,
)
from workflow_scripts.errors import UserError

# with `columns`, `tsv`; type checkers read no Literal that is computed
if TYPE_CHECKING:
    Reader = str
else:
    Reader = Literal[(*READERS, "tsv")]


def matching_files(root: Path, pattern: str) -> list[Path]:
    """Return the files below `root` that a path or glob pattern names, unsorted.

    A pattern without a match is returned unchanged: the check of missing files names it.
    """
    matches = (root / match for match in glob(pattern, root_dir=root, recursive=True))
    return [path for path in matches if path.is_file()] or [root / pattern]


class TextFiles(Block):
    """Files of one format."""

    reader: Reader = Field(
        description=(
            "Format. For plain text: `lines`, each line is a text of its own; `document`, a file "
            "is one document with a paragraph per line; `wrapped-document`, the same with "
            "wrapped lines and blank lines between paragraphs; `blank-line-documents`, a "
            "blank line ends a document."
        )
    )
    files: list[str] = Field(
        min_length=1, description="Paths or glob patterns, below the data root."
    )
    columns: list[WholeNumber] = Field([], description="For `tsv` only: columns with text, from 1.")
    document_ids: Text | None = Field(
        None,
        description=(
            "For `lines` only: a file with the document id of each line; a document is a run of "
            "lines with one id."
        ),
    )

    @model_validator(mode="after")
    def _columns_of_tables(self) -> Self:
        if (self.reader == "tsv") != bool(self.columns):
            raise mistake("'columns' is required by reader tsv and by no other")
        if self.document_ids is not None and self.reader != "lines":
            raise mistake("'document_ids' is only for reader lines; remove it")
        return self

    def list_files(self, root: Path) -> list[Path]:
        """Return the files below `root` and the patterns without a match, sorted."""
        paths = set() if self.document_ids is None else {root / self.document_ids}
        for pattern in self.files:
            paths.update(matching_files(root, pattern))
        return sorted(paths)

    def paths(self, root: Path) -> list[Path]:
        """Return the files below `root`, sorted; `UserError` for a pattern that matches none."""
        paths = self.list_files(root)
        if absent := [path for path in paths if not path.is_file()]:
            raise UserError(absent[0], "no file matches", "check the pattern and its folder")
        return paths

    def documents(self, root: Path) -> Iterator[Document]:
        """Yield the documents of the files below `root`, read as they are needed."""
        ids = None if self.document_ids is None else root / self.document_ids
        for path in self.paths(root):
            if ids is None:
                yield from read_documents(self.reader, path, self.columns)
            elif path != ids:
                yield from read_identified_lines(path, ids)


def paragraphs(root: Path, texts: Iterable[TextFiles]) -> Iterator[str]:
    """Yield the paragraphs of text files, of one document after the other."""
    return (line for text in texts for document in text.documents(root) for line in document)


def kept_out_keys(root: Path, texts: Iterable[TextFiles]) -> set[str]:
    """Return the comparison keys of the lines of evaluation files, and of the sentences in them."""
    return keys_of(
        chain.from_iterable([line, *split_sentences(line)] for line in paragraphs(root, texts))
    )
