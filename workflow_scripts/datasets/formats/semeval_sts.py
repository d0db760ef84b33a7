"""SemEval STS 2012-2016: the released layout, the SentEval one, and scores next to their pairs.

A year is a folder of `STS.input.<subset>.txt` with `STS.gs.<subset>.txt` (2016 as released:
`STS2016.input...` with four columns), line by line, without header. All subsets are put together,
which is the "all" setting of the paper's Table 3: one correlation over all pairs of a year. An
empty line in a gold file is a pair that nobody scored; it is dropped by its position.

The collection brmson/dataset-sts has a file `<subset>.test.tsv` instead, of score, sentence and
sentence. It is read where a folder has none of the released files.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from workflow_scripts.configuration.blocks import Distinct, Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.scored_pairs import ScoredRow, read_with_gold_file, scored_pairs
from workflow_scripts.delimited import Layout, read_rows

# name of a subset's file
_RELEASED, _WITH_SCORES = "STS*.input.{subset}.txt", "{subset}.test.tsv"
_SCORED = Layout((1, 2, 3), "a row of score<TAB>sentence<TAB>sentence")


class Entry(TextEntry):
    ITEMS: ClassVar = SimilaritySet

    path: Text = Field(description="Folder of a year's files.")
    subsets: Distinct[Text] | None = Field(
        None, description="Subsets to read, such as [FNWN, headlines, OnWN]; all by default."
    )

    def _files(self, root: Path) -> list[Path]:
        """Return the file of pairs of each subset; what is absent by the pattern of its name."""
        folder = root / self.path
        for name in (_RELEASED, _WITH_SCORES):
            file_of = {
                _subset_of(path): path for path in sorted(folder.glob(name.format(subset="*")))
            }
            if file_of:
                subsets = file_of if self.subsets is None else self.subsets
                return [file_of.get(part, folder / name.format(subset=part)) for part in subsets]
        return []

    def list_files(self, root: Path) -> list[Path]:
        # an empty folder, or none, may come to hold either layout
        files = self._files(root) or [root / self.path]
        both = [(path, _gold_file(path)) for path in files]
        return [path for pair in both for path in pair if path is not None]

    def read(self, root: Path) -> SimilaritySet:
        rows = [row for path in self._files(root) for row in _scored_rows(path)]
        scored = [row for row in rows if row.gold.strip()]
        pairs = scored_pairs(scored, 0.0, 5.0)
        pairs.drop("no_gold_score", len(rows) - len(scored))
        return pairs


def _gold_file(path: Path) -> Path | None:
    """Return the file of the scores of a file of pairs; None where that holds them itself."""
    released = ".input." in path.name
    return path.with_name(path.name.replace(".input.", ".gs.", 1)) if released else None


def _scored_rows(path: Path) -> Iterator[ScoredRow]:
    subset = _subset_of(path)
    if (gold_path := _gold_file(path)) is not None:
        yield from read_with_gold_file(path, gold_path, subset)
        return
    for line, (gold, left, right) in read_rows(path, _SCORED):
        yield ScoredRow(line, path, left, right, gold, subset)


def _subset_of(path: Path) -> str:
    return path.name.removesuffix(".test.tsv").rpartition(".input.")[2].removesuffix(".txt")
