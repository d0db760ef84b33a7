"""Files of static word vectors: fastText's models (.bin) and text, as of word2vec and GloVe.

A line `words dimension`, which GloVe's files lack, then a line a word: the word and its numbers,
between single blanks. A few of GloVe's words hold blanks themselves.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from workflow_scripts.embedding.fasttext_model import read_fasttext_model, words_of_model
from workflow_scripts.embedding.word_lookup import MEAN_OF_WORDS, WordVectors
from workflow_scripts.errors import UserError
from workflow_scripts.files import stream_bytes

TEXT_ENDINGS = (".vec", ".txt", ".vec.gz", ".txt.gz")
MODEL_ENDING = ".bin"
# of numbers; a pattern for each of the billion in a large file would take as long as reading it
_DECIMAL = b"0123456789.eE+-"
_SIZE = re.compile(rb"0*[1-9][0-9]{,17}")


def is_fasttext_model(path: Path) -> bool:
    """Return whether a file is a fastText model, by its name; else it is one of text."""
    if path.name.endswith(MODEL_ENDING):
        return True
    if path.name.endswith(TEXT_ENDINGS):
        return False
    raise UserError(
        path,
        "of a type that its name does not reveal",
        f"give a file that ends in {', '.join(TEXT_ENDINGS)} (text) or {MODEL_ENDING} (fastText "
        "model, unpacked)",
    )


def read_word_vectors(path: Path, asked: Collection[str]) -> WordVectors:
    """Return the vectors of the words of `asked` that a file has, and its mean vector."""
    model = is_fasttext_model(path)
    if not path.is_file():
        raise UserError(path, "no such file of word vectors", "check the path")
    return read_fasttext_model(path, asked) if model else read_text_vectors(path, asked)


def first_words(path: Path, most: int) -> list[str]:
    """Return the first words of a file, its most frequent, so many at most, each once.

    Without fastText's mark of a sentence's end, and without words that hold white space of some
    kind, where strings are cut before they are looked up.
    """
    model = is_fasttext_model(path)
    if not path.is_file():
        raise UserError(path, "no such file of word vectors", "check the path")
    raw = words_of_model(path, most) if model else _words_of_text(path)
    words: dict[str, None] = {}
    for token in raw:
        word = token.decode("utf-8", errors="replace")
        if word != "</s>" and word.split() == [word]:
            words[word] = None
        if len(words) == most:
            break
    return list(words)


class _Shape(NamedTuple):
    """What the first line of a file of text says; `words` is None where that is a word's."""

    words: int | None
    dimension: int

    @property
    def first(self) -> int:
        """The number of the first word's line."""
        return 1 if self.words is None else 2

    def word_of(self, line: bytes) -> bytes | None:
        """Return the word of a line without its end; None if it has not so many numbers."""
        blanks = line.count(b" ") - self.dimension
        if blanks == 0:
            return line.partition(b" ")[0] or None
        if blanks < 0 or self.words is not None:
            return None
        # those of a word of GloVe's are before those of its numbers
        return line.rsplit(b" ", self.dimension)[0]


def _shape_of_text(path: Path) -> _Shape:
    _, header = next(_read_lines(path), (1, b""))
    if not header:
        raise UserError(path, "no words", "give a file of word vectors")
    first, *others = header.split()[:2] or [b""]
    fields = header.rstrip(b" \r\n").split(b" ")
    if len(fields) > 2 and fields[0] and not any(map(_odd_number, fields[1:])):
        return _Shape(None, len(fields) - 1)
    if len(header.split()) == 2 and _SIZE.fullmatch(first) and _SIZE.fullmatch(others[0]):
        return _Shape(int(first), int(others[0]))
    raise UserError(
        f"{path}:1",
        f"expected `number-of-words dimension` or a word and its numbers, found {header[:40]!r}",
        "fetch the file again",
    )


def _words_of_text(path: Path) -> Iterator[bytes]:
    shape = _shape_of_text(path)
    for number, line in _read_lines(path):
        if number >= shape.first and (word := shape.word_of(line.rstrip(b" \r\n"))):
            yield word


def _read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    return enumerate(stream_bytes(path), start=1)


def _odd_number(field: bytes) -> bool:
    return not field or bool(field.translate(None, _DECIMAL))


def _read_numbers(path: Path, number: int, fields: list[bytes]) -> np.ndarray:
    if odd := next((field for field in fields if field.translate(None, _DECIMAL)), None):
        shown = odd.decode(errors="replace")
        raise UserError(
            f"{path}:{number}", f"{shown!r} is not a number", "correct or remove the line"
        )
    try:
        with np.errstate(over="ignore"):
            vector = np.array([float(field) for field in fields], dtype=np.float32)
    except ValueError as error:
        raise UserError(f"{path}:{number}", str(error), "correct or remove the line") from error
    if not np.isfinite(vector).all():
        raise UserError(f"{path}:{number}", "a number is not finite", "correct or remove the line")
    return vector


def read_text_vectors(path: Path, asked: Collection[str]) -> WordVectors:
    """Read a file of text, gzipped if its name ends in `.gz`; of a repeated word, the first line.

    Numbers are read where the line is used: words asked for, and the first `MEAN_OF_WORDS`.
    """
    sought = {word.encode() for word in asked}
    known: dict[str, np.ndarray] = {}
    repeated = read = 0
    shape = _shape_of_text(path)
    promised, dimension = shape
    # of the size that a line has, whatever the first one says
    total = np.zeros(())
    for number, line in _read_lines(path):
        if number < shape.first:
            continue
        line = line.rstrip(b" \r\n")
        word = shape.word_of(line)
        if word is None:
            raise UserError(
                f"{path}:{number}",
                f"expected a word and {dimension} numbers, found {len(line.split())} fields",
                "correct or remove the line",
            )
        if read == promised:
            problem = f"more lines than the {promised} words of line 1"
            remedy = "fix the number there, or get the file again"
            raise UserError(f"{path}:{number}", problem, remedy)
        read += 1
        in_mean = read <= MEAN_OF_WORDS
        if not in_mean and word not in sought:
            continue
        vector = _read_numbers(path, number, line[len(word) + 1 :].split(b" "))
        if in_mean:
            total = total + vector.astype(np.float64)
        if word in sought:
            repeated += word.decode() in known
            known.setdefault(word.decode(), vector)
    if promised not in (None, read):
        raise UserError(
            path, f"line 1 promises {promised} words, the file has {read}", "fetch it again"
        )
    mean = (total / min(read, MEAN_OF_WORDS)).astype(np.float32)
    return WordVectors(known, {}, mean, read, repeated)
