"""Random span masking of raw strings, before tokenisation (paper section 2.2)."""

import random
import re
from collections.abc import Callable, Sequence

from workflow_scripts.tuning.recipes import SpanMasking

LITERAL_MASK = "[MASK]"

# Gives the (start, end) character positions of the units of a string, in order.
UnitFinder = Callable[[str], Sequence[tuple[int, int]]]


def character_units(text: str) -> list[tuple[int, int]]:
    """Return the positions of the characters (code points) of `text`."""
    return [(index, index + 1) for index in range(len(text))]


def word_units(text: str) -> list[tuple[int, int]]:
    """Return the positions of the words of `text`: what stands between white space."""
    return [match.span() for match in re.finditer(r"\S+", text)]


def mask_span(
    text: str,
    units: Sequence[tuple[int, int]],
    length: int,
    min_length: int,
    mask_token: str,
    generator: random.Random,
) -> str:
    """Return `text` with `length` consecutive units replaced by " `mask_token` ".

    The first of them is drawn from [0, number of units - length), as the authors' code does: the
    very last span is never drawn. Strings of fewer than `min_length` units, and those with no span
    to draw from, come back whole and draw nothing.
    """
    choices = len(units) - length
    if len(units) < min_length or choices < 1:
        return text
    start = generator.randrange(choices)
    left = text[: units[start][0]]
    right = text[units[start + length - 1][1] :]
    return f"{left} {mask_token} {right}"


def make_views(
    strings: Sequence[str],
    masking: SpanMasking | None,
    mask_token: str,
    token_units: UnitFinder,
    generator: random.Random,
    partners: Sequence[str] | None = None,
) -> tuple[list[str], list[str]]:
    """Return the first and the second view of each pair: one masked, the other as it is.

    `partners` are the other halves of supervised pairs; without them a string is paired with
    itself. `side: second` masks every second view; `side: random` draws the side pair by pair.
    `mask_token` is the tokenizer's, used where the recipe asks for it; `token_units` finds the
    units of `unit: token`.
    """
    first, second = list(strings), list(strings if partners is None else partners)
    if masking is None:
        return first, second
    token = mask_token if masking.mask_token == "tokenizer" else LITERAL_MASK
    finders = {"character": character_units, "word": word_units, "token": token_units}
    find_units = finders[masking.unit]
    for row in range(len(first)):
        # Drawn for every pair, masked or not, so that the draws of the others do not hang on it.
        side = first if masking.side == "random" and generator.random() < 0.5 else second
        side[row] = mask_span(
            side[row], find_units(side[row]), masking.length, masking.min_length, token, generator
        )
    return first, second
