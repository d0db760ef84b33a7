"""The order of training sequences: a pure function of seed and position, so that it can resume.

A block of many sequences is sorted by length and cut into batches of about as many tokens each,
which wastes little on padding; the batches are then shuffled.
"""

from collections.abc import Mapping

import numpy as np

from bundled_models.encoded_text import EncodedText, cut_spans
from bundled_models.settings import Stage
from workflow_scripts.corpora.drawing import quotas_of, shares_of

# special tokens of a sequence
SPECIALS = 2


def assemble(
    sequences: list[np.ndarray], start: int, end: int, padding: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return ids and attention mask, int64 [sequences, longest + 2], framed and padded by ids."""
    longest = max(map(len, sequences)) + SPECIALS
    ids = np.full((len(sequences), longest), padding, dtype=np.int64)
    attention = np.zeros_like(ids)
    for row, sequence in enumerate(sequences):
        size = len(sequence) + SPECIALS
        ids[row, 0], ids[row, size - 1] = start, end
        ids[row, 1 : size - 1] = sequence
        attention[row, :size] = 1
    return ids, attention


def cut_batches(lengths: np.ndarray, tokens_per_batch: int) -> list[np.ndarray]:
    """Return sequence numbers in groups of like `lengths`, padded within `tokens_per_batch`."""
    order = np.argsort(lengths, kind="stable")
    batches: list[np.ndarray] = []
    first = 0
    for position, number in enumerate(order):
        if position > first and (position - first + 1) * lengths[number] > tokens_per_batch:
            batches.append(order[first:position])
            first = position
    if first < len(order):
        batches.append(order[first:])
    return batches


class BlockStream:
    """Blocks of batches over several languages, by smoothed shares of their tokens."""

    def __init__(
        self,
        texts: Mapping[str, EncodedText],
        stage: Stage,
        exponent: float,
        sequences_per_block: int,
        tokens_per_batch: int,
        seed: tuple[int, ...],
    ) -> None:
        self._texts, self._tokens_per_batch, self._seed = texts, tokens_per_batch, seed
        self._spans = {
            language: cut_spans(text, stage.length - SPECIALS, stage.pack)
            for language, text in sorted(texts.items())
        }
        shares = shares_of({key: len(text.ids) for key, text in texts.items()}, exponent)
        # Shares are of tokens; sequences of one language may be longer than those of another.
        weights = {
            key: share * len(self._spans[key]) / len(texts[key].ids)
            for key, share in shares.items()
        }
        total = sum(weights.values())
        count = min(sequences_per_block, sum(map(len, self._spans.values())))
        shares = {key: weight / total for key, weight in weights.items()}
        self._quotas = quotas_of(shares, count)

    def batches(self, block: int) -> list[list[np.ndarray]]:
        """Return batches of id arrays; each language runs through its own in a shuffled order."""
        sequences: list[np.ndarray] = []
        for order, (language, quota) in enumerate(self._quotas.items()):
            spans, ids = self._spans[language], self._texts[language].ids
            for start, end in spans[self._chosen(order, len(spans), block * quota, quota)]:
                sequences.append(ids[start:end])
        generator = np.random.default_rng([*self._seed, 1, block])
        sequences = [sequences[n] for n in generator.permutation(len(sequences))]
        lengths = np.array([len(ids) + SPECIALS for ids in sequences])
        groups = cut_batches(lengths, self._tokens_per_batch)
        return [[sequences[n] for n in groups[g]] for g in generator.permutation(len(groups))]

    def _chosen(self, language: int, size: int, first: int, count: int) -> np.ndarray:
        positions = np.arange(first, first + count)
        chosen = np.empty(count, dtype=np.int64)
        for epoch in np.unique(positions // size):
            permutation = np.random.default_rng([*self._seed, 0, language, epoch]).permutation(size)
            here = positions // size == epoch
            chosen[here] = permutation[positions[here] % size]
        return chosen
