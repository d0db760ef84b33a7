"""Texts with a class, to train an encoder and a classifier together: lines `text||label`."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from workflow_scripts.configuration.blocks import Field
from workflow_scripts.corpora.block import SampledBlock
from workflow_scripts.corpora.pair_lines import pair_lines
from workflow_scripts.datasets.labelled_rows import Parts, Shares, read_parts, without_blanks
from workflow_scripts.datasets.labels import Labels
from workflow_scripts.errors import UserError


class Options(SampledBlock):
    holds = "texts with a class"
    mem_mb = 4000
    file_keys = ("texts",)

    texts: Parts = Field(
        description="Files, given as for a part of a data set of format `labelled-texts`."
    )
    divided: Shares | None = Field(None, description="As of such a data set, which it is then of.")
    part: Literal["train", "development", "test"] = Field(
        "train", description="Of what is divided, the part that is taken."
    )

    def list_files(self, root: Path) -> list[Path]:
        return [path for part in self.texts for path in part.files(root)]

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[str]:
        rows = read_parts(root, self.texts, self.part, self.divided, Labels())
        if any(len(texts) != 1 for texts, _ in rows):
            files = ", ".join(map(str, self.list_files(root)))
            raise UserError(
                files, "pairs of texts", "an encoder is trained on single texts: name one column"
            )
        pairs = ([*without_blanks(texts), label] for texts, label in rows)
        return pair_lines(pairs, self.whitespace, dropped)
