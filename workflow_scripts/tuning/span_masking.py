"""Random span masking of raw strings, before tokenisation (paper section 2.2)."""

import random
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

from pydantic import Field

from workflow_scripts.configuration.blocks import Block, Count, WholeNumber
from workflow_scripts.errors import UserError

LITERAL_MASK = "[MASK]"

# Gives the (start, end) character positions of the units of a string, in order.
UnitFinder = Callable[[str], Sequence[tuple[int, int]]]


class SpanMasking(Block):
    """Random span masking (section 2.2): what is cut out of one string of a pair."""

    length: WholeNumber = Field(description="units to cut out")
    unit: Literal["character", "token", "word"] = Field(
        default="character", description="what `length` and `min_length` count"
    )
    side: Literal["second", "random"] = Field(
        default="second",
        description="string of a pair to mask: always the second, or either at random",
    )
    min_length: Count = Field(default=30, description="strings with fewer units stay unmasked")
    mask_token: Literal["literal", "tokenizer"] = Field(
        default="literal",
        description='the text "[MASK]" (the authors\' code, for RoBERTa too), or the '
        "tokenizer's own mask token",
    )
    place: Literal["drawn", "first_occurrence"] = Field(
        default="drawn",
        description=(
            "where to cut: at the drawn units (the paper), or at the first occurrence of their "
            "text in the string (the authors' code)"
        ),
    )

    def check_tokenizer(self, tokenizer: Any) -> None:
        """Raise `UserError` for a tokenizer without the mask token that is to be its own."""
        if self.mask_token == "tokenizer" and tokenizer.mask_token is None:
            raise UserError(
                "span_masking.mask_token",
                "the tokenizer has no mask token",
                "give `literal`, or another model",
            )


def character_units(text: str) -> list[tuple[int, int]]:
    return [(index, index + 1) for index in range(len(text))]


def word_units(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\S+", text)]


def token_units(tokenizer: Any) -> UnitFinder:
    """Return what finds the tokens of a string, special ones left out."""
    options = {"add_special_tokens": False, "return_offsets_mapping": True}
    return lambda text: tokenizer(text, **options)["offset_mapping"]


def mask_span(
    text: str,
    units: Sequence[tuple[int, int]],
    length: int,
    min_length: int,
    mask_token: str,
    generator: random.Random,
    place: str = "drawn",
) -> str:
    """Return `text` with `length` consecutive units replaced by " `mask_token` ".

    The first of them is drawn from [0, number of units - length): as in the authors' code never the
    last span. With `place` "first_occurrence" the first stretch of `text` that reads like them goes
    in their place. Strings of fewer than `min_length` units, or with no span, come back whole.
    """
    choices = len(units) - length
    if len(units) < min_length or choices < 1:
        return text
    start = generator.randrange(choices)
    begin, end = units[start][0], units[start + length - 1][1]
    if place == "first_occurrence":
        first = text.index(text[begin:end])
        begin, end = first, first + end - begin
    return f"{text[:begin]} {mask_token} {text[end:]}"


def augment_pairs(
    strings: Sequence[str],
    masking: SpanMasking | None,
    mask_token: str,
    tokens_of: UnitFinder,
    generator: random.Random,
    partners: Sequence[str] | None = None,
) -> tuple[list[str], list[str]]:
    """Return the first and the second string of each pair: one masked, the other as it is.

    Without `partners` a string is paired with itself. `mask_token` is the tokenizer's; `tokens_of`
    finds the units of `unit: token`.
    """
    first, second = list(strings), list(strings if partners is None else partners)
    if masking is None:
        return first, second
    token = mask_token if masking.mask_token == "tokenizer" else LITERAL_MASK
    finders = {"character": character_units, "word": word_units, "token": tokens_of}
    find_units, choices = finders[masking.unit], (masking.length, masking.min_length, token)
    for row in range(len(first)):
        # Drawn for every pair, masked or not, so that the draws of the others do not depend on it.
        side = first if masking.side == "random" and generator.random() < 0.5 else second
        side[row] = mask_span(side[row], find_units(side[row]), *choices, generator, masking.place)
    return first, second
