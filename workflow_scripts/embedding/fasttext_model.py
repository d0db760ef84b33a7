"""fastText's binary models (.bin, version 12, not quantised): vectors of words and of n-grams.

The layout is that of `FastText::loadModel` in fastText 0.9.2, little-endian: header; for each entry
of the dictionary a word ending in a zero byte, its count and its type; whether the matrix is
quantised, its sizes, and its rows in float32, one a word, then one a bucket of n-grams. Only the
rows asked for are read: a published matrix has 4.8 GB.
"""

import mmap
import struct
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workflow_scripts.embedding.word_lookup import MEAN_OF_WORDS, WordVectors
from workflow_scripts.errors import UserError

_MAGIC = 793712314
_VERSION = 12
# magic, version, dim, ws, epoch, minCount, neg, wordNgrams, loss, model, bucket, minn, maxn,
# lrUpdateRate, t; then of the dictionary: size, nwords, nlabels, ntokens, pruneidx_size.
_HEADER = struct.Struct("<14i d 3i 2q")
_COUNT_AND_TYPE = struct.Struct("<q b")
_MATRIX_HEADER = struct.Struct("<? 2q")
_WORD = 0
_END_OF_SENTENCE = b"</s>"


@dataclass(frozen=True)
class _Layout:
    words: int
    dimension: int
    buckets: int
    shortest: int
    longest: int
    ids: dict[bytes, int]
    first: list[bytes]
    matrix_offset: int


def hash_of_ngram(ngram: bytes) -> int:
    """Return fastText's 32-bit FNV-1a hash, which widens bytes of 128 and more as negative."""
    value = 2166136261
    for byte in ngram:
        value ^= byte if byte < 128 else byte | 0xFFFFFF00
        value = value * 16777619 & 0xFFFFFFFF
    return value


def character_ngrams(word: str, shortest: int, longest: int) -> list[bytes]:
    """Return the n-grams of `<word>` of so many characters, in UTF-8; no mark alone is one."""
    if word.encode() == _END_OF_SENTENCE:
        return []
    marked = f"<{word}>"
    return [
        marked[start:end].encode()
        for start in range(len(marked))
        for end in range(start + max(shortest, 1), min(start + longest, len(marked)) + 1)
        if end - start > 1 or 0 < start < len(marked) - 1
    ]


def _read_layout(path: Path, content: mmap.mmap, asked: Collection[bytes], most: int) -> _Layout:
    """Read the header and the dictionary; `struct.error` or `ValueError` where the file ends.

    `first` has `most` words.
    """

    def check(fine: bool, mistake: str, remedy: str) -> None:
        if not fine:
            raise UserError(path, mistake, remedy)

    magic, version, dimension, *rest, size, words, labels, _, pruned = _HEADER.unpack_from(content)
    buckets, shortest, longest = rest[7:10]
    check(magic == _MAGIC, "not a fastText model (other .bin files are not read)", "convert it")
    check(version == _VERSION, f"fastText model of version {version}", "version 12 is read")
    check(pruned <= 0, "a quantised fastText model", "give the full model")
    sound = min(dimension, words, shortest + 1, buckets + 1) >= 1 and size == words + labels
    check(sound, "the sizes in its header contradict each other", "fetch it again")

    ids: dict[bytes, int] = {}
    first: list[bytes] = []
    position = _HEADER.size
    for entry in range(size):
        end = content.find(b"\0", position)
        if end < 0:
            raise ValueError
        _, kind = _COUNT_AND_TYPE.unpack_from(content, end + 1)
        if entry < words:
            check(kind == _WORD, f"entry {entry + 1} is not a word", "fetch the file again")
            word = content[position:end]
            if len(first) < most:
                first.append(word)
            if word in asked:
                ids.setdefault(word, entry)
        position = end + 1 + _COUNT_AND_TYPE.size

    quantised, height, width = _MATRIX_HEADER.unpack_from(content, position)
    check(not quantised, "a quantised fastText model", "give the full model")
    sizes = f"{words} words, {buckets} buckets and dimension {dimension}"
    fine = (height, width) == (words + buckets, dimension)
    check(fine, f"a matrix of {height} x {width} for {sizes}", "fetch the file again")
    offset = position + _MATRIX_HEADER.size
    if len(content) < offset + 4 * height * width:
        raise ValueError
    return _Layout(words, dimension, buckets, shortest, longest, ids, first, offset)


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap]:
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as content:
            yield content
    except (struct.error, ValueError) as error:
        raise UserError(path, "cut short", "fetch the file again") from error


def words_of_model(path: Path, most: int) -> list[bytes]:
    """Return the words of a model, the most frequent first, so many and one more at most."""
    with _mapped(path) as content:
        return _read_layout(path, content, (), most + 1).first


def read_fasttext_model(path: Path, asked: Collection[str]) -> WordVectors:
    """Return the vectors of the words of `asked`, of its own words and of others by n-grams.

    As in fastText, a word has the mean of its own row, if any, and the rows of its n-grams.
    """
    by_bytes = {word.encode(): word for word in asked}
    with _mapped(path) as content:
        layout = _read_layout(path, content, by_bytes, MEAN_OF_WORDS)
    shape = (layout.words + layout.buckets, layout.dimension)
    matrix = np.memmap(path, dtype="<f4", mode="r", offset=layout.matrix_offset, shape=shape)

    def rows_of(word: str, row: int | None) -> list[int]:
        rows = [] if row is None else [row]
        if layout.buckets:
            ngrams = character_ngrams(word, layout.shortest, layout.longest)
            rows += [layout.words + hash_of_ngram(ngram) % layout.buckets for ngram in ngrams]
        return rows

    def vector_of(word: str, rows: list[int]) -> np.ndarray:
        vector = matrix[rows].mean(axis=0, dtype=np.float64).astype(np.float32)
        if not np.isfinite(vector).all():
            raise UserError(path, f"the vector of {word!r} is not finite", "fetch the file again")
        return vector

    known: dict[str, np.ndarray] = {}
    composed: dict[str, np.ndarray] = {}
    for raw, word in by_bytes.items():
        if rows := rows_of(word, layout.ids.get(raw)):
            (known if raw in layout.ids else composed)[word] = vector_of(word, rows)
    total = np.zeros(layout.dimension)
    for row, raw in enumerate(layout.first):
        word = raw.decode("utf-8", errors="replace")
        total += vector_of(word, rows_of(word, row))
    mean = (total / len(layout.first)).astype(np.float32)
    return WordVectors(known, composed, mean, layout.words)
