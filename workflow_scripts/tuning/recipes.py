"""Recipes: named sets of tuning choices, checked key by key. Standard library only.

A recipe is a block of config/recipes.yaml. `method` decides which keys it has: those of every
recipe, and those of its method. A further method adds an entry to `METHODS` and its own dataclass.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workflow_scripts.embedding.pooling_names import POOLINGS, SHORTEST_MAX_LENGTH
from workflow_scripts.errors import UserError, nearest_name

LOSS_DENOMINATORS = ("with_positive", "negatives_only")
MASK_UNITS = ("character", "token", "word")
MASK_SIDES = ("second", "random")
MASK_TOKENS = ("literal", "tokenizer")
POSITIVES = ("itself", "pairs")
SCHEDULES = ("constant", "linear", "cosine")
PRECISIONS = ("auto", "float32", "bfloat16", "float16")


@dataclass(frozen=True)
class SpanMasking:
    """Random span masking (paper section 2.2): what is cut out of one string of a pair.

    `length` and `min_length` count `unit`s; strings of fewer than `min_length` stay whole.
    `mask_token` is the literal text "[MASK]" (the authors' code, for RoBERTa too) or the
    tokenizer's own.
    """

    length: int
    unit: str = "character"
    side: str = "second"
    min_length: int = 30
    mask_token: str = "literal"


@dataclass(frozen=True)
class DropoutRates:
    """Rates of the four places where BERT drops out (paper section 2.2); None keeps the model's."""

    embeddings: float | None = None
    attention: float | None = None
    attention_output: float | None = None
    feed_forward: float | None = None


@dataclass(frozen=True)
class Development:
    """A development set that the model is scored on while it is tuned.

    Every `every` steps and at the end; the weights with the best score are kept. With `patience`,
    tuning ends after as many scores in a row that are no better than the best. `dataset` is of
    task similarity or entity-linking and in `suite`.
    """

    suite: str
    dataset: str
    every: int
    patience: int | None = None


@dataclass(frozen=True)
class MirrorChoices:
    """Choices of the method `mirror` (paper sections 2 and 3); defaults are the paper's.

    `positives` is `itself`, or `pairs` for a corpus of `text1||text2`. `warmup` is a share of the
    steps. `gradient_cache` backpropagates slice by slice: the same gradients in less memory.
    """

    max_length: int
    epochs: int
    temperature: float
    batch_size: int = 200
    learning_rate: float = 2e-5
    weight_decay: float = 0.01
    loss_denominator: str = "with_positive"
    span_masking: SpanMasking | None = None
    dropout: float | DropoutRates | None = None
    drophead: float = 0.0
    controlled_dropout: bool = False
    positives: str = "itself"
    deduplicate: bool = False
    schedule: str = "constant"
    warmup: float = 0.0
    max_gradient_norm: float | None = None
    precision: str = "auto"
    gradient_cache: bool = False
    development: Development | None = None


@dataclass(frozen=True)
class Recipe:
    """A checked recipe. `mirror` is None unless `method` is `mirror`."""

    name: str
    method: str
    pooling: str
    embed_max_length: int
    mirror: MirrorChoices | None = None


# A check gets (value, full name of the key) and returns the value to use, or raises `UserError`.
Check = Callable[[Any, str], Any]


def _whole_number(minimum: int) -> Check:
    def check(value: Any, key: str) -> int:
        if type(value) is not int or value < minimum:
            raise UserError(f"{key}: {value!r} is not a whole number of {minimum} or more")
        return value

    return check


def _number(valid: Callable[[float], bool], what: str) -> Check:
    def check(value: Any, key: str) -> float:
        if isinstance(value, str) and (written := _as_yaml_float(value)):
            raise UserError(f"{key}: YAML takes {value!r} for text, not a number; write {written}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UserError(f"{key}: {value!r} is not a number; give {what}")
        if not math.isfinite(value) or not valid(value):
            raise UserError(f"{key}: {value!r} is out of range; give {what}")
        return float(value)

    return check


def _as_yaml_float(text: str) -> str | None:
    """Return how YAML 1.1 wants the number in `text` written (3e-4: 3.0e-4), None if it is none."""
    match = re.fullmatch(r"\s*([+-]?\d+)(?:\.(\d*))?(?:[eE]([+-]?)(\d+))?\s*", text)
    if not match:
        return None
    whole, fraction, sign, exponent = match.groups()
    written = f"{whole}.{fraction or '0'}"
    return written if exponent is None else f"{written}e{sign or '+'}{exponent}"


def _one_of(names: tuple[str, ...]) -> Check:
    def check(value: Any, key: str) -> str:
        if value not in names:
            raise UserError(f"{key}: {value!r} is unknown; {nearest_name(value, names)}")
        return value

    return check


def _truth(value: Any, key: str) -> bool:
    if not isinstance(value, bool):
        raise UserError(f"{key}: {value!r} is neither true nor false")
    return value


def _or_null(inner: Check) -> Check:
    return lambda value, key: None if value is None else inner(value, key)


def _span_masking(value: Any, key: str) -> SpanMasking:
    return SpanMasking(**_checked_block(value, key, SPAN_MASKING_KEYS, required=("length",)))


def _dropout(value: Any, key: str) -> float | DropoutRates:
    if isinstance(value, Mapping):
        return DropoutRates(**_checked_block(value, key, DROPOUT_KEYS, required=()))
    return _RATE(value, key)


def _development(value: Any, key: str) -> Development:
    required = ("suite", "dataset", "every")
    return Development(**_checked_block(value, key, DEVELOPMENT_KEYS, required))


def _name(value: Any, key: str) -> str:
    if not isinstance(value, str) or not value:
        raise UserError(f"{key}: {value!r} is not a name")
    return value


_POSITIVE = _number(lambda value: value > 0, "a number above 0")
_RATE = _number(lambda value: 0 <= value < 1, "a rate from 0 up to, not including, 1")
_LENGTH = _whole_number(SHORTEST_MAX_LENGTH)

SPAN_MASKING_KEYS: dict[str, Check] = {
    "length": _whole_number(1),
    "unit": _one_of(MASK_UNITS),
    "side": _one_of(MASK_SIDES),
    "min_length": _whole_number(0),
    "mask_token": _one_of(MASK_TOKENS),
}
DROPOUT_KEYS: dict[str, Check] = {
    place: _or_null(_RATE)
    for place in ("embeddings", "attention", "attention_output", "feed_forward")
}
DEVELOPMENT_KEYS: dict[str, Check] = {
    "suite": _name,
    "dataset": _name,
    "every": _whole_number(1),
    "patience": _or_null(_whole_number(1)),
}
MIRROR_KEYS: dict[str, Check] = {
    "max_length": _LENGTH,
    "epochs": _whole_number(1),
    "temperature": _POSITIVE,
    # With a single pair there are no negatives.
    "batch_size": _whole_number(2),
    "learning_rate": _POSITIVE,
    "weight_decay": _number(lambda value: value >= 0, "a number of 0 or more"),
    "loss_denominator": _one_of(LOSS_DENOMINATORS),
    "span_masking": _or_null(_span_masking),
    "dropout": _or_null(_dropout),
    "drophead": _RATE,
    "controlled_dropout": _truth,
    "positives": _one_of(POSITIVES),
    "deduplicate": _truth,
    "schedule": _one_of(SCHEDULES),
    "warmup": _RATE,
    "max_gradient_norm": _or_null(_POSITIVE),
    "precision": _one_of(PRECISIONS),
    "gradient_cache": _truth,
    "development": _or_null(_development),
}
METHODS: dict[str, dict[str, Check]] = {"none": {}, "mirror": MIRROR_KEYS}
REQUIRED_KEYS = {"none": (), "mirror": ("max_length", "epochs", "temperature")}
COMMON_KEYS: dict[str, Check] = {
    "method": _one_of(tuple(METHODS)),
    "pooling": _one_of(tuple(POOLINGS)),
    "embed_max_length": _LENGTH,
}


def _checked_block(
    block: Any, prefix: str, checks: Mapping[str, Check], required: tuple[str, ...]
) -> dict[str, Any]:
    if not isinstance(block, Mapping):
        raise UserError(f"{prefix}: expected keys and values, found {block!r}")
    for key in block:
        if key not in checks:
            raise UserError(f"{prefix}.{key}: unknown key; {nearest_name(key, checks)}")
    for key in required:
        if key not in block:
            raise UserError(f"{prefix}.{key}: missing; add the key")
    return {key: checks[key](value, f"{prefix}.{key}") for key, value in block.items()}


def parse_recipe(name: str, block: Any) -> Recipe:
    """Return the checked recipe of one block of config.

    Raises `UserError` that names `recipes.<name>.<key>` for an unknown or missing key, a wrong
    type or a value out of range.
    """
    prefix = f"recipes.{name}"
    if not isinstance(block, Mapping) or "method" not in block:
        raise UserError(f"{prefix}.method: missing; add method: {' or '.join(METHODS)}")
    # First of all, since it decides which other keys there are.
    method = COMMON_KEYS["method"](block["method"], f"{prefix}.method")
    required = (*COMMON_KEYS, *REQUIRED_KEYS[method])
    values = _checked_block(block, prefix, {**COMMON_KEYS, **METHODS[method]}, required)
    common = {key: values.pop(key) for key in COMMON_KEYS}
    return Recipe(
        name=name, **common, mirror=MirrorChoices(**values) if method == "mirror" else None
    )
