"""Sequences of running text, which of them follow each other, and batches of them."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np
from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import CHARACTERS_AT_ONCE
from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling.encoded_text import encode_sentences
from workflow_scripts.language_modelling.masking import choose_pieces, corrupt
from workflow_scripts.language_modelling.token_file import TokenFile


def frame_of(tokenizer: PreTrainedTokenizerBase) -> tuple[int, int]:
    """Return the ids of the marks around a sequence, [CLS] and [SEP] of BERT."""
    ids = tokenizer("")["input_ids"]
    if len(ids) != 2:
        problem = f"the tokenizer puts {len(ids)} special tokens around a text, not two"
        raise UserError(None, problem, "take another model")
    return ids[0], ids[1]


def _batches_of(documents: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Yield documents in lists of about so many characters as are tokenised at once."""
    batch: list[Sequence[str]] = []
    characters = 0
    for document in documents:
        batch.append(document)
        characters += sum(map(len, document))
        if characters >= CHARACTERS_AT_ONCE:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


class Sequences:
    """The sequences [CLS] ... [SEP] of documents, at most `max_length` tokens each, in their order.

    One is a sentence, cut at the end, or (`packed`) consecutive sentences of a document that fit
    whole; a document that would be one packed sequence is halved, so that it has neighbours.
    `document` has the number of each one's document, in ascending order, and `followed` the
    sequences that have a next one in theirs. Tokens are on disk; memory holds some 40 bytes a
    sequence.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        documents: Iterable[Sequence[str]],
        inputs: Literal["sentence", "packed"],
        settings: EncoderSettings,
    ) -> None:
        self._frame, longest = frame_of(tokenizer), settings.max_length - 2
        self._ids = TokenFile()
        # numbers of Python would take ten times as much
        spans, numbers = array("q"), array("q")
        number = 0
        for batch in _batches_of(documents):
            sentences = [sentence for document in batch for sentence in document]
            text = encode_sentences(tokenizer, settings.texts(sentences))
            ends = (self._ids.size + text.ends).tolist()
            start, first = self._ids.size, 0
            for document in batch:
                own = ends[first : first + len(document)]
                if inputs == "sentence":
                    starts = zip([start, *own], own, strict=False)
                    cut = [(a, min(b, a + longest)) for a, b in starts]
                else:
                    cut = pack(start, own, longest)
                for a, b in cut:
                    if b > a:
                        spans.extend((a, b))
                        numbers.append(number)
                start, first, number = own[-1], first + len(document), number + 1
            self._ids.append(text.ids)
        self.spans = np.frombuffer(spans, dtype=np.int64).reshape(-1, 2)
        self.document = np.frombuffer(numbers, dtype=np.int64)
        self.followed = np.flatnonzero(self.document[:-1] == self.document[1:])

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, number: int) -> np.ndarray:
        start, end = self.spans[number]
        return np.concatenate([self._frame[:1], self._ids.read(start, end), self._frame[1:]])


def pack(start: int, ends: Sequence[int], longest: int) -> list[tuple[int, int]]:
    """Return spans of consecutive sentences that end at `ends`, the first from `start` on.

    None is longer than `longest`, nor than half of them all; a longer sentence is a span, cut.
    """
    limit = min(longest, -(-(ends[-1] - start) // 2))
    spans, begin, last = [], start, start
    for end in ends:
        if end - begin > limit and last > begin:
            spans.append((begin, min(last, begin + longest)))
            begin = last
        last = end
    return [*spans, (begin, min(last, begin + longest))]


def draw_numbers(
    count: int,
    size: int,
    steps: int,
    seed: Sequence[int],
    document: np.ndarray | None = None,
) -> Iterator[np.ndarray]:
    """Yield `size` of `count` numbers a step: shuffled again each epoch, incomplete batch dropped.

    With `document`, that of each number, whole documents are shuffled, their numbers in order.
    """
    per_epoch = count // size
    for step in range(steps):
        epoch, batch = divmod(step, per_epoch)
        if not batch:
            generator = np.random.default_rng([*seed, epoch])
            if document is None:
                order = generator.permutation(count)
            else:
                ranks = generator.permutation(document[-1] + 1)
                order = ranks[document].argsort(kind="stable")
        yield order[batch * size : (batch + 1) * size]


def near_sentences(numbers: np.ndarray, document: np.ndarray, most: int) -> np.ndarray:
    """Return which sentences of a batch of B `numbers` are at most so many apart, bool [B, B].

    They are of one document; `document` has that of each sentence of the text.
    """
    own, distance = document[numbers], np.abs(numbers[:, None] - numbers)
    return (distance > 0) & (distance <= most) & (own[:, None] == own)


class Masking:
    """Masks pieces of sequences: `share` of their tokens, marks counted as in BERT, or `count`."""

    def __init__(
        self, tokenizer: PreTrainedTokenizerBase, share: float, count: int | None = None
    ) -> None:
        self._frame, self._mask = frame_of(tokenizer), tokenizer.mask_token_id
        self._share, self._count = share, count
        special = np.array(tokenizer.all_special_ids)
        self._ordinary = np.setdiff1d(np.arange(len(tokenizer)), special)

    def of(
        self, sequences: Sequence[np.ndarray], generator: np.random.Generator
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Return the masked ids and the labels of each sequence, as `corrupt` gives them."""
        lengths = np.array([len(sequence) for sequence in sequences])
        ids = np.full((len(sequences), lengths.max()), self._frame[0], dtype=np.int64)
        for row, sequence in zip(ids, sequences, strict=True):
            row[: len(sequence)] = sequence
        counts = np.maximum(1, np.round(self._share * lengths)).astype(np.int64)
        if self._count is not None:
            counts = np.full_like(lengths, self._count)
        chosen = choose_pieces(np.isin(ids, self._frame), counts, generator)
        masked = corrupt(ids, chosen, self._mask, self._ordinary, generator)
        inputs, labels = (
            [row[:size] for row, size in zip(table, lengths, strict=True)] for table in masked
        )
        return inputs, labels
