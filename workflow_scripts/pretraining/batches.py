"""The order of training sequences: a pure function of seed and position, so that it can resume.

Text is taken in blocks of many sequences. Within a block, sequences are sorted by length and cut
into batches of about equal numbers of tokens, which wastes little on padding; the batches are then
shuffled.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workflow_scripts.pretraining.balancing import language_quotas, language_shares
from workflow_scripts.pretraining.encoded_text import EncodedText, cut_spans

SPECIALS_PER_SEQUENCE = 2


@dataclass(frozen=True)
class SpecialIds:
    """Ids of the tokens around and behind a sequence, and of the mask."""

    start: int
    end: int
    padding: int
    mask: int


def assemble(sequences: list[np.ndarray], special: SpecialIds) -> tuple[np.ndarray, np.ndarray]:
    """Return ids and attention mask, both int64 [sequences, longest + 2], padded at the end."""
    longest = max(map(len, sequences)) + SPECIALS_PER_SEQUENCE
    ids = np.full((len(sequences), longest), special.padding, dtype=np.int64)
    attention = np.zeros_like(ids)
    for row, sequence in enumerate(sequences):
        size = len(sequence) + SPECIALS_PER_SEQUENCE
        ids[row, 0] = special.start
        ids[row, 1 : size - 1] = sequence
        ids[row, size - 1] = special.end
        attention[row, :size] = 1
    return ids, attention


def cut_batches(lengths: np.ndarray, tokens_per_batch: int) -> list[np.ndarray]:
    """Return groups of sequence numbers: neighbours by length, at most `tokens_per_batch` padded.

    `lengths` counts special tokens. A sequence longer than the limit makes a batch of its own.
    """
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
    """Blocks of batches over several languages, by smoothed shares of their tokens.

    Every language runs through its own sequences in a shuffled order, again and again; a block
    takes the same number of sequences of a language each time.
    """

    def __init__(
        self,
        texts: Mapping[str, EncodedText],
        longest: int,
        pack: bool,
        exponent: float,
        sequences_per_block: int,
        tokens_per_batch: int,
        seed: tuple[int, ...],
    ) -> None:
        """Cut sequences of at most `longest` tokens, special ones included."""
        self._texts = texts
        self._tokens_per_batch = tokens_per_batch
        self._seed = seed
        self._spans = {
            language: cut_spans(text, longest - SPECIALS_PER_SEQUENCE, pack)
            for language, text in sorted(texts.items())
        }
        shares = language_shares({key: len(text.ids) for key, text in texts.items()}, exponent)
        # Shares are of tokens; sequences of one language may be longer than those of another.
        weights = {
            language: share * len(self._spans[language]) / len(texts[language].ids)
            for language, share in shares.items()
        }
        total = sum(weights.values())
        count = min(sequences_per_block, sum(map(len, self._spans.values())))
        self._quotas = language_quotas(
            {language: weight / total for language, weight in weights.items()}, count
        )

    def batches(self, block: int) -> list[list[np.ndarray]]:
        """Return the batches of block number `block`, each a list of id arrays."""
        sequences: list[np.ndarray] = []
        for order, (language, quota) in enumerate(self._quotas.items()):
            spans = self._spans[language]
            ids = self._texts[language].ids
            for start, end in spans[self._chosen(order, len(spans), block * quota, quota)]:
                sequences.append(ids[start:end])
        generator = np.random.default_rng([*self._seed, 1, block])
        sequences = [sequences[n] for n in generator.permutation(len(sequences))]
        lengths = np.array([len(ids) + SPECIALS_PER_SEQUENCE for ids in sequences])
        groups = cut_batches(lengths, self._tokens_per_batch)
        return [[sequences[n] for n in groups[g]] for g in generator.permutation(len(groups))]

    def _chosen(self, language: int, size: int, first: int, count: int) -> np.ndarray:
        """Return sequence numbers at the positions first .. first + count of the endless order."""
        positions = np.arange(first, first + count)
        chosen = np.empty(count, dtype=np.int64)
        for epoch in np.unique(positions // size):
            permutation = np.random.default_rng([*self._seed, 0, language, epoch]).permutation(size)
            here = positions // size == epoch
            chosen[here] = permutation[positions[here] % size]
        return chosen
