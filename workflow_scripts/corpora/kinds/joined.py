"""Several corpora one after another, such as the words of two languages."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

from workflow_scripts.configuration.blocks import Distinct, Field, Id, NotNegative, Text
from workflow_scripts.corpora.block import CorpusBlock, Size
from workflow_scripts.corpora.drawing import draw_documents, quotas_of, shares_of
from workflow_scripts.datasets.strings import runs_of_lines
from workflow_scripts.files import stream_lines


class Options(CorpusBlock):
    holds = "words"

    of: Annotated[Distinct[Id], Field(min_length=2, description="Ids of two or more corpora.")]
    exponent: NotNegative | None = Field(
        None,
        description=(
            "The share of each corpus is proportional to its number of lines ** exponent. Below "
            "1, small corpora are repeated to fill their share, and repeats stay. Documents "
            "stay whole."
        ),
    )
    size: Size = Field(
        "all", description="Total number of lines; `all`: as many as the corpora have together."
    )
    language: Text | None = Field(None, description="Language of the strings, for readers only.")

    def corpora(self) -> list[str]:
        return self.of

    def repeats(self) -> bool:
        return self.exponent is not None or self.size != "all"

    def list_files(self, root: Path) -> list[Path]:
        return [root / f"{other}.txt" for other in self.of]

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[str]:
        return chain.from_iterable(self._shared_out(root, seed, False))

    def documents(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[list[str]] | None:
        # a corpus of documents has blank lines, no other does
        for path in self.list_files(root):
            if any(not line for line in stream_lines(path)):
                return self._shared_out(root, seed, True)
        return None

    def _shared_out(self, root: Path, seed: int, documents: bool) -> Iterator[list[str]]:
        def units(path: Path) -> Iterator[list[str]]:
            lines = stream_lines(path)
            return runs_of_lines(lines) if documents else ([line] for line in lines)

        paths = self.list_files(root)
        if not self.repeats():
            yield from chain.from_iterable(map(units, paths))
            return
        lines = {str(path): sum(map(len, units(path))) for path in paths}
        size = sum(lines.values()) if self.size == "all" else self.size
        exponent = 1.0 if self.exponent is None else self.exponent
        quotas = quotas_of(shares_of(lines, exponent), size)
        for path in paths:
            copies, rest = divmod(quotas[str(path)], lines[str(path)])
            for _ in range(copies):
                yield from units(path)
            yield from draw_documents(units(path), rest, seed)
