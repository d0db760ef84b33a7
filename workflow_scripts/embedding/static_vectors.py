"""Files of static word vectors: fastText's models (.bin) and text format, which is word2vec's.

A line `words dimension`, then a line a word: the word and its numbers, between single blanks.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

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
        "of a kind that is not known by its name",
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


def _words_of_text(path: Path) -> Iterator[bytes]:
    lines = (line for number, line in _read_lines(path) if number > 1)
    return (line.rstrip(b" \r\n").partition(b" ")[0] for line in lines)


def _read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    return enumerate(stream_bytes(path), start=1)


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
    repeated = 0
    lines = _read_lines(path)
    _, header = next(lines, (1, b""))
    sizes = header.split()
    if len(sizes) != 2 or not all(_SIZE.fullmatch(size) for size in sizes):
        raise UserError(
            f"{path}:1",
            f"expected `number-of-words dimension`, found {header[:40]!r}",
            "add this line to a file that has none, or fetch the file again",
        )
    words, dimension = map(int, sizes)
    # of the size that a line has, whatever the first one says
    total = np.zeros(())
    number = 1
    for number, line in lines:
        line = line.rstrip(b" \r\n")
        word, _, _ = line.partition(b" ")
        if line.count(b" ") != dimension or not word:
            raise UserError(
                f"{path}:{number}",
                f"expected a word and {dimension} numbers, found {len(line.split())} fields",
                "correct or remove the line",
            )
        if number > words + 1:
            problem = f"more lines than the {words} words of line 1"
            remedy = "fix the number there, or take the file anew"
            raise UserError(f"{path}:{number}", problem, remedy)
        in_mean = number <= MEAN_OF_WORDS + 1
        if not in_mean and word not in sought:
            continue
        vector = _read_numbers(path, number, line.split(b" ")[1:])
        if in_mean:
            total = total + vector.astype(np.float64)
        if word in sought:
            repeated += word.decode() in known
            known.setdefault(word.decode(), vector)
    if number != words + 1:
        raise UserError(
            path, f"line 1 promises {words} words, the file has {number - 1}", "fetch it again"
        )
    mean = (total / min(words, MEAN_OF_WORDS)).astype(np.float32)
    return WordVectors(known, {}, mean, words, repeated)
