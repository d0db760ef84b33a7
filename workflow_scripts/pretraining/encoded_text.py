"""Prepared text by language: its shares, its piece ids and the sequences cut from them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines
from workflow_scripts.language_modelling.encoded_text import EncodedText, encode_sentences

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


def shares_of(sizes: Mapping[str, int], exponent: float) -> dict[str, float]:
    """Return shares in proportion to size ** `exponent` (0.7 in multilingual BERT and XLM)."""
    powers = {language: size**exponent for language, size in sorted(sizes.items()) if size}
    total = sum(powers.values())
    return {language: power / total for language, power in powers.items()}


def quotas_of(shares: Mapping[str, float], total: int) -> dict[str, int]:
    """Split `total` whole items by `shares`, largest remainders first; quotas sum to `total`."""
    exact = {language: share * total for language, share in shares.items()}
    quotas = {language: int(amount) for language, amount in exact.items()}
    by_remainder = sorted(exact, key=lambda key: (quotas[key] - exact[key], key))
    for language in by_remainder[: total - sum(quotas.values())]:
        quotas[language] += 1
    return quotas


def read_prepared(folder: Path, part: str) -> dict[str, list[str]]:
    """Return the sentences of `part` (`train` or `validation`) per language, languages sorted."""
    paths = sorted((Path(folder) / part).glob("*.txt"))
    text = {path.stem: lines for path in paths if (lines := read_lines(path))}
    if not text:
        raise UserError(f"{folder}: no {part}/*.txt with text; make the folder with prepare_text")
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
