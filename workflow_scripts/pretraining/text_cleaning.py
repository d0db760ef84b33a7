"""Choosing text: sentences, exact repeats, evaluation sentences and held-out sentences.

Which sentence is held out depends on its letters only: adding a text to config moves none.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

# A sentence ends at . ! ? with closing marks, after three letters (which spares Mr., St., D.C.) and
# before a space, or at one of their full-width forms unless a closing mark follows.
_SENTENCE_END = re.compile(r"([^\W\d_]{3}[.!?…][\"'”’»)]*)\s+(?=\S)|([。！？])(?=[^」』”’）])")
_NOT_LETTER_OR_DIGIT = re.compile(r"[\W_]+")
_WIDE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
# A Chinese character carries about as much as three letters of an alphabet.
_LETTERS_PER_WIDE_CHARACTER = 3


def comparison_key(sentence: str) -> str:
    """Return `sentence` lower-cased with only its letters and digits: what equality goes by."""
    return _NOT_LETTER_OR_DIGIT.sub("", sentence.lower())


def split_sentences(paragraph: str) -> list[str]:
    """Split a paragraph (one line) at sentence ends, by a simple rule for twelve languages."""
    marked = _SENTENCE_END.sub(lambda match: (match[1] or match[2]) + "\n", paragraph)
    return [part for part in (line.strip() for line in marked.split("\n")) if part]


def weight_of(sentence: str) -> int:
    letters = sum(map(str.isalpha, sentence))
    return letters + (_LETTERS_PER_WIDE_CHARACTER - 1) * len(_WIDE.findall(sentence))


def is_held_out(key: str, one_in: int) -> bool:
    """Tell whether the sentence of this comparison key belongs to the validation text."""
    digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % one_in == 0


def clean_sentences(
    paragraphs: Iterable[str],
    seen: set[bytes],
    excluded: set[str],
    minimum_letters: int,
    dropped: Counter[str],
) -> Iterator[tuple[str, str]]:
    """Yield (sentence in normal form C, comparison key) of the sentences to keep, in order.

    `seen`, digests of the keys so far, grows; `dropped` counts what was left out and why.
    """
    for paragraph in paragraphs:
        for sentence in split_sentences(unicodedata.normalize("NFC", paragraph)):
            if weight_of(sentence) < minimum_letters:
                dropped["short"] += 1
                continue
            key = comparison_key(sentence)
            if key in excluded:
                dropped["evaluation"] += 1
                continue
            digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
            if digest in seen:
                dropped["repeated"] += 1
                continue
            seen.add(digest)
            yield sentence, key
