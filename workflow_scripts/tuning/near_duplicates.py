"""Strings of a corpus that a model can hardly tell apart, false negatives of each other in a batch.

The paper tunes on strings without repeats; the corpora that the authors released hold some.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class NearDuplicates:
    """How many of `count` strings equal an earlier one (`exact`), or are but near it (`near`).

    `pairs` counts the unordered pairs of either kind; `example` is one, of different strings first.
    """

    count: int
    exact: int
    near: int
    pairs: int
    example: tuple[str, str] | None

    def expected_pairs(self, batch_size: int) -> float:
        """Return the expected number of pairs in a batch: two are in it by b(b - 1) / n(n - 1)."""
        return self.pairs * batch_size * (batch_size - 1) / (self.count * (self.count - 1))


@cache
def _is_kept(character: str) -> bool:
    # Marks stay with letters and digits: many scripts write vowels with them. Selectors of the
    # look of a character, most often of an emoji, are marks by name only.
    is_mark = unicodedata.category(character) in ("Mn", "Mc")
    is_selector = "VARIATION SELECTOR" in unicodedata.name(character, "")
    return character.isalnum() or (is_mark and not is_selector)


def near_duplicate_key(text: str) -> str:
    """Return letters and digits (with their marks) after Unicode NFKC and case folding, in order.

    Where there is none, such as in punctuation or emoji, it is the NFKC form itself.
    """
    normalised = unicodedata.normalize("NFKC", text)
    return "".join(filter(_is_kept, normalised.casefold())) or normalised


def count_near_duplicates(strings: Sequence[str]) -> NearDuplicates:
    """Return the exact and near repeats among strings, in linear time."""
    groups: dict[str, list[str]] = {}
    for text in strings:
        groups.setdefault(near_duplicate_key(text), []).append(text)
    sizes = list(map(len, groups.values()))
    exact, alike = len(strings) - len(set(strings)), len(strings) - len(sizes)
    examples = [(texts[0], text) for texts in groups.values() for text in texts[1:]]
    different = (pair for pair in examples if pair[0] != pair[1])
    example = next(different, examples[0] if examples else None)
    pairs = sum(size * (size - 1) // 2 for size in sizes)
    return NearDuplicates(len(strings), exact, alike - exact, pairs, example)


def warn_of_repeats(name: str, strings: Sequence[str], batch_size: int) -> str | None:
    """Return one line that warns of the repeats in corpus `name`; None if there are none."""
    duplicates = count_near_duplicates(strings)
    if duplicates.example is None:
        return None
    parts, remedies = [], []
    if duplicates.exact:
        parts.append(f"{duplicates.exact} repeat an earlier one")
        remedies.append("set the recipe key deduplicate: true, which leaves out exact repeats")
    if duplicates.near:
        parts.append(f"{duplicates.near} equal an earlier one except for case or punctuation")
        remedies.append("fix the corpus")
    texts = [" ".join(text.split()) for text in dict.fromkeys(duplicates.example)]
    shown = [f"'{text if len(text) <= 40 else text[:37] + '...'}'" for text in texts]
    pairs = duplicates.expected_pairs(batch_size)
    numbers = (pairs, pairs * (duplicates.count // batch_size))
    in_batch, in_epoch = (f"{n:.0f}" if n >= 10 else f"{n:.2g}" for n in numbers)
    return (
        f"warning: {name}: of {duplicates.count} strings {' and '.join(parts)}, such as "
        f"{' and '.join(shown)}; {in_batch} such pairs are expected in a batch of {batch_size}, "
        f"{in_epoch} in an epoch, each a false negative; {', or '.join(remedies)}"
    )
