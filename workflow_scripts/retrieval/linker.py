"""The best ids of mentions by an encoder and an index of names, and what a lossy search misses."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workflow_scripts.embedding.vector_shards import Quantization
from workflow_scripts.retrieval import vector_loss
from workflow_scripts.retrieval.approximate_search import ApproximateIndex
from workflow_scripts.retrieval.link_calibration import Answer
from workflow_scripts.retrieval.linked_ids import Search, rank_ids
from workflow_scripts.retrieval.mention_links import Link
from workflow_scripts.retrieval.mentions import MentionBatch
from workflow_scripts.retrieval.name_encoder import NameEncoder
from workflow_scripts.retrieval.name_index import NameIndex
from workflow_scripts.retrieval.quantization import QuantizedIndex
from workflow_scripts.retrieval.rescored_search import SAMPLE, RescoredSearch


def lossy_search(
    index: NameIndex,
    folder: Path,
    probes: int | None,
    quantization: Quantization | None,
    threads: int,
) -> RescoredSearch | None:
    """Return the search by an inverted file or by codes, kept in the index's folder, if any.

    `probes` is how many lists of the inverted file are searched.
    """
    vectors, digest = index.vectors, index.vectors_sha256
    if probes is not None:
        return ApproximateIndex(vectors, digest, folder / "ivf.faiss", probes, threads)
    if quantization is not None and len(index):
        return QuantizedIndex(vectors, quantization, digest, folder / "codes.faiss", threads)
    return None


@dataclass(frozen=True)
class Linker:
    """An index of names with the encoder of its vectors, and how it is searched.

    `name_index.index_names` makes an index of names in memory. With `each_name` names are ranked
    instead of ids. `rescored` searches with less memory, and may miss some.
    """

    encoder: NameEncoder
    index: NameIndex
    each_name: bool = False
    rescored: RescoredSearch | None = None
    threads: int = 1

    def answer(
        self, batches: Iterable[MentionBatch], k: int, say: Callable[[str], None]
    ) -> Iterator[Answer]:
        """Yield each batch of mentions with the k + 1 best ids of its distinct texts, best first.

        One more than is written, which the margin is taken to. `say` gets lines on what fewer
        dimensions and `rescored` lose, measured on the first batch.
        """
        approximate, is_first = None if self.rescored is None else self.rescored.search, True
        for batch in batches:
            vectors = self.encoder.encode_mentions(batch.distinct)
            if is_first and len(vectors):
                is_first = False
                for line in self._losses(batch, vectors, k):
                    say(line)
            yield batch, self._rank(vectors, k + 1, approximate)

    def _rank(self, vectors: np.ndarray, k: int, approximate: Search | None) -> list[list[Link]]:
        return [
            *rank_ids(
                *(self.index, vectors, k),
                each_name=self.each_name,
                threads=self.threads,
                approximate=approximate,
            )
        ]

    def _losses(self, batch: MentionBatch, vectors: np.ndarray, k: int) -> Iterator[str]:
        if self.encoder.encoder.settings.dimensions is not None:
            yield self._truncation_line(batch)
        if self.rescored is None:
            return
        recall = self.rescored.recall(vectors, k)
        yield f"{self.rescored.name}: recall@{k} {recall:.4f} on a sample"
        rows = {text: row for row, text in enumerate(batch.distinct)}
        gold = [
            (rows[text], mention.gold_ids)
            for mention, text in zip(batch.mentions, batch.texts, strict=True)
            if mention.gold_ids
        ][:SAMPLE]
        if not gold:
            return
        shares = []
        for search in (self.rescored.search, None):
            ranked = self._rank(vectors[[row for row, _ in gold]], 1, search)
            right = [links[0].is_one_of(ids) for (_, ids), links in zip(gold, ranked, strict=True)]
            shares.append(sum(right) / len(right))
        yield (
            f"{self.rescored.name}: accuracy@1 {shares[0]:.4f}, of exact search {shares[1]:.4f}, "
            f"on the first {len(gold)} mentions with gold ids"
        )

    def _truncation_line(self, batch: MentionBatch) -> str:
        """Return a line on what the encoder's `dimensions` lose among a sample of the names."""
        rows = vector_loss.spread(range(len(self.index)), vector_loss.SEARCHED)
        names, encoder = [self.index[row][1] for row in rows], self.encoder.encoder
        return vector_loss.truncation_line(
            vector_loss.SampledStrings(encoder, "passage", names),
            vector_loss.SampledStrings(encoder, "query", batch.distinct),
            cosine=self.encoder.similarity == "cosine",
        )
