"""Prepared text by language: its shares, its piece ids and the sequences cut from them."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines
from workflow_scripts.language_modelling.encoded_text import EncodedText, encode_sentences

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


def read_prepared(folder: Path, part: str) -> dict[str, list[str]]:
    """Return the sentences of `part` (`train` or `validation`) per language, languages sorted."""
    paths = sorted((Path(folder) / part).glob("*.txt"))
    text = {path.stem: lines for path in paths if (lines := read_lines(path))}
    if not text:
        raise UserError(folder, f"no {part}/*.txt with text", "make the folder with prepare_text")
    return text


def encode_prepared(
    tokenizer: "PreTrainedTokenizerFast", folder: Path, part: str
) -> dict[str, EncodedText]:
    """Return the text of `read_prepared` as ids, uncut and without special tokens."""
    prepared = read_prepared(folder, part).items()
    return {language: encode_sentences(tokenizer, lines) for language, lines in prepared}


def cut_spans(text: EncodedText, longest: int, pack: bool) -> np.ndarray:
    """Return int64 [sequences, 2], start and end of sequences of 1 to `longest` ids.

    A sequence is a sentence or a part of one; with `pack`, neighbours are joined if they fit whole.
    """
    spans: list[tuple[int, int]] = []
    start = sentence_start = 0
    for end in text.ends.tolist():
        if not pack or end - start > longest:
            if sentence_start > start:
                spans.append((start, sentence_start))
            start = sentence_start
            while end - start > longest:
                spans.append((start, start + longest))
                start += longest
            if not pack and end > start:
                spans.append((start, end))
                start = end
        sentence_start = end
    if sentence_start > start:
        spans.append((start, sentence_start))
    return np.array(spans, dtype=np.int64).reshape(-1, 2)
