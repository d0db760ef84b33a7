"""Premises and hypotheses with their label, in one language or across two."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Self

from pydantic import model_validator

from workflow_scripts.configuration.blocks import Distinct, Field, Text, mistake
from workflow_scripts.corpora.block import SampledBlock
from workflow_scripts.corpora.pair_lines import LABELS, pair_lines
from workflow_scripts.datasets.rows import read_groups, unequal_lengths
from workflow_scripts.delimited import Layout, malformed, read_rows

_LANGUAGE = "{language}"
_NO_AGREEMENT = "-"
# the translated training sets of XNLI have the second
_KNOWN = {**{label: label for label in LABELS}, "contradictory": "contradiction"}
# 15-way XNLI: a premise, then its hypotheses
_HYPOTHESES = 3


class Options(SampledBlock):
    holds = "inference"
    mem_mb = 8000
    minutes = 30
    file_keys = ("path", "labels")

    path: Text = Field(
        description="File of pairs: `.json` of numbered entries, `.jsonl`, `.csv`, else "
        "tab-separated with a header. With `{language}` in it a file for each, line by line."
    )
    columns: Annotated[Distinct[Text], Field(min_length=3, max_length=3)] = Field(
        ["sentence1", "sentence2", "gold_label"],
        description="Premise, hypothesis and label in the header, or as keys of `.jsonl`.",
    )
    labels: Text | None = Field(
        None,
        description="File of labels, as of 15-way XNLI: one for each hypothesis, where `path` has "
        "lines, a premise and its three hypotheses in turn.",
    )
    languages: Annotated[Distinct[Text], Field(min_length=2)] | None = Field(
        None, description="Each pair's premise and hypothesis are in two of them, at random."
    )
    premise_language: Text | None = Field(None, description="Instead of `languages`.")
    hypothesis_language: Text | None = Field(None, description="Instead of `languages`.")

    @model_validator(mode="after")
    def _languages_of_path(self) -> Self:
        pair = (self.premise_language, self.hypothesis_language)
        given = [self.languages is not None, *(language is not None for language in pair)]
        if _LANGUAGE not in self.path and any(given):
            raise mistake(f"with `languages`, write {_LANGUAGE} in path instead of a language code")
        if _LANGUAGE in self.path and given not in ([True, False, False], [False, True, True]):
            raise mistake("give either languages, or premise_language and hypothesis_language")
        return self

    def _files(self, root: Path) -> dict[str, Path]:
        """Return the file of each language; a path without languages has one, of language ""."""
        pair = (self.premise_language or "", self.hypothesis_language or "")
        languages = self.languages or pair
        return {language: root / self.path.replace(_LANGUAGE, language) for language in languages}

    def list_files(self, root: Path) -> list[Path]:
        labels = [] if self.labels is None else [root / self.labels]
        return [*self._files(root).values(), *labels]

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[str]:
        return pair_lines(self._triples(root, seed, dropped), self.whitespace, dropped)

    def _triples(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[list[str]]:
        files = self._files(root)
        rows = {language: list(self._rows(path, root)) for language, path in files.items()}
        names = [*files]
        first, last = names[0], names[-1]
        for language, path in files.items():
            if len(rows[language]) != len(rows[first]):
                counts = (files[first], len(rows[first]), path, len(rows[language]))
                raise unequal_lengths(*counts)
        generator = random.Random(seed)
        for index in range(len(rows[first])):
            two = [first, last]
            if self.languages is not None:
                two = generator.sample(self.languages, 2)
            (line, (premise, _, label)), (_, (_, hypothesis, other)) = (
                rows[language][index] for language in two
            )
            path = files[two[0]] if self.labels is None else root / self.labels
            if label != other:
                problem = f"the label is {label!r}, but {other!r} in {files[two[1]]}"
                raise malformed(path, line, problem)
            if label == _NO_AGREEMENT:
                dropped["no_agreement"] += 1
            elif label in _KNOWN:
                yield [premise, hypothesis, _KNOWN[label]]
            else:
                known = ", ".join((*_KNOWN, _NO_AGREEMENT))
                raise malformed(path, line, f"expected a label among {known}, found {label!r}")

    def _rows(self, path: Path, root: Path) -> Iterator[tuple[int, list[str]]]:
        if self.labels is None:
            return read_rows(path, Layout(self.columns, delimiter=None))
        return read_groups(path, root / self.labels, _HYPOTHESES)
