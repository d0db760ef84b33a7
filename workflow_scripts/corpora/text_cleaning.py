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
    """Return `sentence` lower-cased with only its letters and digits: what equality goes by.

    Letters are composed first (normal form C): a decomposed accent would be lost.
    """
    return _NOT_LETTER_OR_DIGIT.sub("", unicodedata.normalize("NFC", sentence).lower())


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


def keys_of(texts: Iterable[str]) -> set[str]:
    """Return the comparison keys of texts; one without letters and digits has none."""
    return {*map(comparison_key, texts)} - {""}


def clean_sentences(
    paragraphs: Iterable[str],
    seen: set[bytes] | None,
    excluded: set[str],
    minimum_letters: int,
    dropped: Counter[str],
) -> Iterator[tuple[str, str] | None]:
    """Yield (sentence in normal form C, comparison key) of the sentences to keep, in order.

    None stands for one that is left out, and `dropped` counts why. `seen`, digests of the keys so
    far, grows; where it is None repeats are kept.
    """
    for paragraph in paragraphs:
        for sentence in split_sentences(unicodedata.normalize("NFC", paragraph)):
            key = comparison_key(sentence)
            why = None
            if weight_of(sentence) < minimum_letters:
                why = "short"
            elif key in excluded:
                why = "evaluation"
            elif seen is not None:
                digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
                why = "repeated" if digest in seen else None
                seen.add(digest)
            if why is not None:
                dropped[why] += 1
            yield (sentence, key) if why is None else None
