"""SemEval STS 2012-2016: the released layout and the SentEval one.

A year is a folder of `STS.input.<subset>.txt` with `STS.gs.<subset>.txt` (2016 as released:
`STS2016.input...` with four columns), line by line, without header. All subsets are put together,
which is the "all" setting of the paper's Table 3: one correlation over all pairs of a year. An
empty line in a gold file is a pair that nobody scored; it is dropped by its position.
"""

from pathlib import Path
from typing import ClassVar

from workflow_scripts.configuration.blocks import Distinct, Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.scored_pairs import read_with_gold_file, scored_pairs


class Entry(TextEntry):
    ITEMS: ClassVar = SimilaritySet

    path: Text = Field(description="Folder of a year's files.")
    subsets: Distinct[Text] | None = Field(
        None, description="Which subsets to read, such as [FNWN, headlines, OnWN]; all without it."
    )

    def _files(self, root: Path) -> list[tuple[Path, Path]]:
        """Return input and gold file of each subset; what is absent by the pattern of its name."""
        folder = root / self.path
        inputs_of = {_subset_of(path): path for path in sorted(folder.glob("STS*.input.*.txt"))}
        inputs = list(inputs_of.values()) or [folder / "STS*.input.*.txt"]
        if self.subsets is not None:
            inputs = [
                inputs_of.get(subset, folder / f"STS*.input.{subset}.txt")
                for subset in self.subsets
            ]
        return [(path, path.with_name(path.name.replace(".input.", ".gs.", 1))) for path in inputs]

    def list_files(self, root: Path) -> list[Path]:
        if not (root / self.path).is_dir() and self.subsets is None:
            return [root / self.path]
        return [path for both in self._files(root) for path in both]

    def read(self, root: Path) -> SimilaritySet:
        files = [(*both, _subset_of(both[0])) for both in self._files(root)]
        rows = [row for pair in files for row in read_with_gold_file(*pair)]
        scored = [row for row in rows if row.gold.strip()]
        pairs = scored_pairs(scored, 0.0, 5.0)
        pairs.drop("no_gold_score", len(rows) - len(scored))
        return pairs


def _subset_of(path: Path) -> str:
    return path.name.split(".input.", 1)[1].removesuffix(".txt")
