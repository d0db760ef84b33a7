"""SemEval STS 2012-2016: the released layout and the SentEval one.

A year is a folder of `STS.input.<subset>.txt` with `STS.gs.<subset>.txt` (2016 as released:
`STS2016.input...` with four columns), line by line, without header. All subsets are put together,
which is the "all" setting of the paper's Table 3: one correlation over all pairs of a year. An
empty line in a gold file is a pair that nobody scored; it is dropped by its position.
"""

from pathlib import Path

from workflow_scripts.configuration.blocks import Distinct, Field, Text
from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.scored_pairs import read_with_gold_file, scored_pairs

ITEMS = SimilaritySet


class Entry(TextEntry):
    path: Text = Field(description="Folder of a year's files.")
    subsets: Distinct[Text] | None = Field(
        None, description="Which subsets to read, such as [FNWN, headlines, OnWN]; all without it."
    )


def _subset_of(path: Path) -> str:
    return path.name.split(".input.", 1)[1].removesuffix(".txt")


def _files(root: Path, entry: Entry) -> list[tuple[Path, Path]]:
    """Return the input and gold file of each subset; what is absent by the pattern of its name."""
    folder = root / entry.path
    found = {_subset_of(path): path for path in sorted(folder.glob("STS*.input.*.txt"))}
    inputs = list(found.values()) or [folder / "STS*.input.*.txt"]
    if entry.subsets is not None:
        inputs = [found.get(one, folder / f"STS*.input.{one}.txt") for one in entry.subsets]
    return [(path, path.with_name(path.name.replace(".input.", ".gs.", 1))) for path in inputs]


def list_files(root: Path, entry: Entry) -> list[Path]:
    if not (root / entry.path).is_dir() and entry.subsets is None:
        return [root / entry.path]
    return [path for both in _files(root, entry) for path in both]


def read(root: Path, entry: Entry) -> SimilaritySet:
    files = _files(root, entry)
    rows = [row for one, gold in files for row in read_with_gold_file(one, gold, _subset_of(one))]
    scored = [row for row in rows if row.gold.strip()]
    pairs = scored_pairs(scored, 0.0, 5.0)
    pairs.drop("no_gold_score", len(rows) - len(scored))
    return pairs
