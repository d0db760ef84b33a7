"""Dictionaries and word lists of a user's own: pairs of words, split by their source words."""

import random
from collections.abc import Sequence
from pathlib import Path

from workflow_scripts.datasets.strings import normalise_whitespace, unique_in_order
from workflow_scripts.delimited import Layout, malformed, read_rows, refuse_header
from workflow_scripts.errors import UserError
from workflow_scripts.files import given_lines

Pair = tuple[str, str]
_LINES = Layout(skip=lambda text: not text.strip())


def read_pairs(path: Path) -> list[Pair]:
    """Return the different (word, translation) of a file, one pair a line, in its order.

    Two columns with a tab between (further ones are passed over), where a word may hold blanks, or
    two words with blanks between. White space within a word is made single blanks; empty lines are
    passed over.
    """
    pairs: list[Pair] = []
    for number, fields in read_rows(path, _LINES):
        has_tab = len(fields) > 1
        words = list(map(normalise_whitespace, fields if has_tab else fields[0].split()))
        if not has_tab and len(words) > 2:
            what = (
                f"expected a word and its translation, found {len(words)} words; put a tab between"
            )
            raise malformed(path, number, what)
        if len(words) < 2 or not all(words[:2]):
            raise malformed(path, number, "expected a word and its translation, found one column")
        if not pairs:
            refuse_header(words[:2], "a pair of words", path, number)
        pairs.append((words[0], words[1]))
    if not pairs:
        raise UserError(
            path, "no pairs of words", "write one pair per line: word, tab, translation"
        )
    return unique_in_order(pairs)


def read_words(path: str | Path) -> list[str]:
    """Return the different words of a file (`-`: standard input), one a line, in their order."""
    name, lines = given_lines(path)
    if words := unique_in_order(filter(None, map(normalise_whitespace, lines))):
        return words
    raise UserError(name, "no words", "write one a line")


def split_by_source(
    pairs: Sequence[Pair], share: float, seed: int
) -> tuple[list[Pair], list[Pair]]:
    """Return training and held-out pairs: all translations of a source word are on one side.

    Of the different source words that share is held out (rounded, one at least), drawn by `seed`.
    """
    words = unique_in_order(source for source, _ in pairs)
    if not share:
        return list(pairs), []
    number = max(1, round(share * len(words)))
    if number >= len(words):
        raise UserError(
            None,
            f"holding out {number} of the dictionary's {len(words)} source words leaves none "
            "to learn from",
            "enlarge it or give a smaller share",
        )
    held_out = set(random.Random(seed).sample(words, number))
    parts: tuple[list[Pair], list[Pair]] = ([], [])
    for pair in pairs:
        parts[pair[0] in held_out].append(pair)
    return parts
