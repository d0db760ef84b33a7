"""Strings of a corpus that a model can hardly tell apart, false negatives of each other in a batch.

In a batch every other string is a negative (paper Eq. 1), so that a string that stands in it twice
is pushed away from itself. The paper tunes on strings without repeats; the corpora that the authors
released hold some.
"""

import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

_LONGEST_EXAMPLE = 40


@dataclass(frozen=True)
class Repeats:
    """Keys that are equal: `repeats` of the `count` keys equal an earlier one.

    `pairs` is the number of unordered pairs of equal keys, `example` the positions of the first
    repeat and of what it repeats, earlier one first; None if there is none.
    """

    count: int
    repeats: int
    pairs: int
    example: tuple[int, int] | None

    def expected_pairs_per_batch(self, batch_size: int) -> float:
        """Return the expected number of pairs of equal keys in a batch drawn at random.

        Two keys are both in it with probability b(b - 1) / n(n - 1). Raises `ValueError` for a
        batch larger than the corpus.
        """
        if batch_size > self.count:
            raise ValueError(f"a batch of {batch_size} strings out of {self.count}")
        if not self.pairs:
            return 0.0
        return self.pairs * batch_size * (batch_size - 1) / (self.count * (self.count - 1))

    def expected_pairs_per_epoch(self, batch_size: int) -> float:
        """Return the same over the batches of an epoch, the last incomplete one left out.

        Where the batch size divides n, this is pairs * (b - 1) / (n - 1).
        """
        return self.count // batch_size * self.expected_pairs_per_batch(batch_size)


def count_repeats_of(keys: Iterable[Hashable]) -> Repeats:
    """Return how often keys repeat, such as the tuples of token ids of strings, in linear time."""
    keys = list(keys)
    sizes = Counter(keys)
    return Repeats(
        count=len(keys),
        repeats=len(keys) - len(sizes),
        pairs=sum(size * (size - 1) // 2 for size in sizes.values()),
        example=_first_repeat(keys) if len(sizes) < len(keys) else None,
    )


def _first_repeat(keys: Sequence[Hashable]) -> tuple[int, int] | None:
    first: dict[Hashable, int] = {}
    for position, key in enumerate(keys):
        earlier = first.setdefault(key, position)
        if earlier != position:
            return earlier, position
    return None


@dataclass(frozen=True)
class NearDuplicates:
    """Repeats among strings: `exact` ones, and `near` ones, which are counted with the exact ones.

    `example` is a pair of strings, different ones where there are such; None without repeats.
    """

    exact: Repeats
    near: Repeats
    example: tuple[str, str] | None

    @property
    def near_repeats(self) -> int:
        """Strings that are like an earlier one without repeating any exactly."""
        return self.near.repeats - self.exact.repeats


class _KeptCharacters(dict[int, str | None]):
    """What `str.translate` makes of a character: itself or, where it is left out, None.

    Marks stay beside letters and digits: many scripts write vowels with them.
    """

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        is_mark = unicodedata.category(character) in ("Mn", "Mc")
        # Selectors of the look of a character, most often of an emoji, are marks by name only.
        is_selector = "VARIATION SELECTOR" in unicodedata.name(character, "")
        kept = character.isalnum() or (is_mark and not is_selector)
        self[code] = character if kept else None
        return self[code]


_KEPT = _KeptCharacters()


def near_duplicate_key(text: str) -> str:
    """Return what strings that are near duplicates have in common.

    Letters and digits (with their marks) after Unicode NFKC and case folding, in order; where
    there is none, such as in punctuation or emoji, the NFKC form itself.
    """
    normalised = unicodedata.normalize("NFKC", text)
    return normalised.casefold().translate(_KEPT) or normalised


def count_near_duplicates(strings: Sequence[str]) -> NearDuplicates:
    """Return the exact and near repeats among strings, in linear time."""
    exact = count_repeats_of(strings)
    keys = [near_duplicate_key(text) for text in strings]
    near = count_repeats_of(keys)
    example = None
    if near.repeats > exact.repeats:
        example = _first_different(strings, keys)
    elif exact.example:
        example = (strings[exact.example[0]], strings[exact.example[1]])
    return NearDuplicates(exact, near, example)


def _first_different(strings: Sequence[str], keys: Sequence[str]) -> tuple[str, str] | None:
    first: dict[str, str] = {}
    for text, key in zip(strings, keys, strict=True):
        earlier = first.setdefault(key, text)
        if earlier != text:
            return earlier, text
    return None


def warning_line(name: str, found: NearDuplicates, batch_size: int) -> str | None:
    """Return one line that warns of the repeats in corpus `name`; None if there are none.

    Raises `ValueError` for a batch larger than the corpus.
    """
    if found.example is None:
        return None
    parts = []
    if found.exact.repeats:
        parts.append(f"{found.exact.repeats} repeat an earlier one")
    if found.near_repeats:
        parts.append(f"{found.near_repeats} equal an earlier one but for case or punctuation")
    shown = [_shortened(text) for text in dict.fromkeys(found.example)]
    remedies = []
    if found.exact.repeats:
        remedies.append("set the recipe key deduplicate: true, which leaves out exact repeats")
    if found.near_repeats:
        remedies.append("mend the corpus")
    in_batch = _rounded(found.near.expected_pairs_per_batch(batch_size))
    in_epoch = _rounded(found.near.expected_pairs_per_epoch(batch_size))
    return (
        f"warning: {name}: of {found.near.count} strings {' and '.join(parts)}, such as "
        f"{' and '.join(shown)}; {in_batch} such pairs are expected in a batch of {batch_size}, "
        f"{in_epoch} in an epoch, each a false negative; {', or '.join(remedies)}"
    )


def _rounded(number: float) -> str:
    return f"{number:.0f}" if number >= 10 else f"{number:.2g}"


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > _LONGEST_EXAMPLE:
        text = text[: _LONGEST_EXAMPLE - 3] + "..."
    return f"'{text}'"
