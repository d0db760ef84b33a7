"""Sentences and their translations, as pairs: source||target."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Self

from pydantic import model_validator

from workflow_scripts.configuration.blocks import Block, Distinct, Field, Text, WholeNumber, mistake
from workflow_scripts.corpora.block import SampledBlock
from workflow_scripts.corpora.pair_lines import pair_lines
from workflow_scripts.corpora.text_cleaning import comparison_key
from workflow_scripts.corpora.text_files import TextFiles, kept_out_keys
from workflow_scripts.corpora.wikimatrix import read_wikimatrix
from workflow_scripts.datasets.rows import read_aligned_lines
from workflow_scripts.delimited import Layout, read_rows


class PairFiles(Block):
    """Two files, line by line, or one of rows."""

    source: Text | None = Field(None, description="File of sentences.")
    target: Text | None = Field(None, description="File of their translations, line by line.")
    path: Text | None = Field(None, description="A tab-separated file instead of these two.")
    columns: Annotated[Distinct[WholeNumber], Field(min_length=2, max_length=2)] | None = Field(
        None, description="Of `path`: columns of sentence and translation, from 1; else [1, 2]."
    )
    margin: float | None = Field(
        None,
        description="Of `path`: its rows are WikiMatrix's (margin score, sentence, translation); "
        "those of this score or more are taken.",
    )

    @model_validator(mode="after")
    def _two_files_or_one(self) -> Self:
        given = [file is not None for file in (self.source, self.target, self.path)]
        if given not in ([True, True, False], [False, False, True]):
            raise mistake("give either source and target, or path")
        if self.columns is not None and (self.path is None or self.margin is not None):
            raise mistake("`columns` is only for a `path` without `margin`; remove it")
        if self.margin is not None and self.path is None:
            raise mistake("`margin` is only for a `path`; remove it")
        return self

    def list_files(self, root: Path) -> list[Path]:
        return [root / file for file in (self.source, self.target, self.path) if file is not None]

    def pairs(self, root: Path) -> Iterator[list[str]]:
        path, *others = self.list_files(root)
        if others:
            return (texts for _, texts in read_aligned_lines([path, *others]))
        if self.margin is not None:
            return (fields[1:3] for fields in read_wikimatrix(path, self.margin))
        layout = Layout(self.columns or [1, 2], "a row of sentence<TAB>translation")
        return (pair for _, pair in read_rows(path, layout))


class Options(SampledBlock):
    holds = "translations"
    mem_mb = 8000
    minutes = 30
    file_keys = ("pairs", "kept_out")

    pairs: list[PairFiles] = Field(min_length=1, description="The files.")
    kept_out: list[TextFiles] = Field(
        [], description="Evaluation files: a pair is dropped if either side occurs in them."
    )
    language: Text | None = Field(None, description="Such as `en-de`, for readers only.")

    def list_files(self, root: Path) -> list[Path]:
        readers: list[PairFiles | TextFiles] = [*self.pairs, *self.kept_out]
        return [file for reader in readers for file in reader.list_files(root)]

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[str]:
        return pair_lines(self._kept(root, dropped), self.whitespace, dropped)

    def _kept(self, root: Path, dropped: Counter[str]) -> Iterator[list[str]]:
        excluded = kept_out_keys(root, self.kept_out)
        for pair in (pair for files in self.pairs for pair in files.pairs(root)):
            if excluded.isdisjoint(map(comparison_key, pair)):
                yield pair
            else:
                dropped["evaluation"] += 1
