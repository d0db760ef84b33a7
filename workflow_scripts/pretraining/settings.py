"""The closed options of config's `pretraining` block, as dataclasses read from JSON."""

import dataclasses
import json
import types
import typing
from dataclasses import dataclass
from typing import Any, TypeVar

from workflow_scripts.errors import UserError, nearest_name

Settings = TypeVar("Settings")


@dataclass(frozen=True)
class Text:
    """One public text: `files` are glob patterns relative to the folder of all texts."""

    language: str
    reader: str
    files: list[str]
    name: str
    licence: str
    columns: list[int] = dataclasses.field(default_factory=list)


@dataclass(frozen=True)
class EvaluationFiles:
    """Files whose sentences must not be in the text; `files` relative to the evaluation root."""

    reader: str
    files: list[str]
    columns: list[int] = dataclasses.field(default_factory=list)


@dataclass(frozen=True)
class Preparation:
    """Sentences shorter than `minimum_letters` are dropped, one in `held_out` is held out."""

    minimum_letters: int = 12
    held_out: int = 500


@dataclass(frozen=True)
class TokenizerSettings:
    """`kind` is `wordpiece` (BERT) or `byte-pairs` (RoBERTa); `size` counts special tokens too.

    `strip_accents` and `lower_case` hold for word pieces only. `alphabet` limits the characters
    that get a piece of their own. `maximum_lines` limits the text that pieces are learnt from.
    """

    kind: str
    size: int
    lower_case: bool = True
    strip_accents: bool = False
    alphabet: int = 1000
    maximum_lines: int = 400_000
    maximum_length: int = 128


@dataclass(frozen=True)
class WordVectorSettings:
    """Counts of neighbouring pieces, as the start of the embedding matrix.

    Neighbours are up to `window` pieces away, `smoothing` is the exponent of the context
    distribution, `deviation` is that of the scaled matrix. Pieces that two languages hold at least
    `shared` times each align the languages.
    """

    window: int = 8
    smoothing: float = 0.75
    shared: int = 20
    deviation: float = 0.05


@dataclass(frozen=True)
class Architecture:
    """`family` is `bert` or `roberta`; `dropout` is written to the saved model's config only.

    The models see so little text that they are trained without dropout; the rate is what a later
    tuning takes as the model's own.
    """

    family: str
    layers: int = 3
    units: int = 192
    heads: int = 3
    feed_forward: int = 768
    dropout: float = 0.1


@dataclass(frozen=True)
class Stage:
    """Up to the share `until` of the budget, sequences have at most `length` tokens.

    With `pack`, consecutive sentences share a sequence; without, a sequence is one sentence.
    """

    until: float
    length: int
    pack: bool = False


@dataclass(frozen=True)
class Training:
    """Masked language modelling under a budget of `minutes` of wall clock or of `steps`.

    `warm_up` is a share of the budget; `tokens_per_batch` counts padding. `embedding_rate` times
    the learning rate is that of the embedding matrix: 0 keeps the word vectors as they are.
    """

    minutes: float | None = None
    steps: int | None = None
    stages: list[Stage] = dataclasses.field(
        default_factory=lambda: [Stage(0.9, 48), Stage(1.0, 96, True)]
    )
    tokens_per_batch: int = 4608
    sequences_per_block: int = 16_384
    masked: float = 0.2
    learning_rate: float = 1.5e-3
    embedding_rate: float = 1.0
    warm_up: float = 0.03
    weight_decay: float = 0.01
    clip_norm: float = 1.0
    log_every: int = 100
    checkpoint_minutes: float = 3.0


@dataclass(frozen=True)
class Pretrained:
    """One model to pretrain: its texts, its seed and the settings of the four steps.

    `examples` are texts with one `{mask}` each, filled in for the model card.
    """

    texts: list[str]
    seed: int
    tokenizer: TokenizerSettings
    architecture: Architecture
    training: Training
    word_vectors: WordVectorSettings = WordVectorSettings()
    preparation: Preparation = Preparation()
    language_exponent: float = 1.0
    examples: list[str] = dataclasses.field(default_factory=list)


def read_settings(kind: type[Settings], content: Any, where: str) -> Settings:
    """Return `content` (from YAML or JSON) as the dataclass `kind`, checked key by key.

    Raises `UserError` naming `where` and the key for an unknown, missing or mistyped key.
    """
    if not isinstance(content, dict):
        raise UserError(f"{where}: expected keys and values, found {content!r}; mend config")
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for key in content:
        if key not in fields:
            raise UserError(f"{where}.{key}: unknown key; {nearest_name(key, fields)}")
    for name, field in fields.items():
        has_default = (
            field.default is not dataclasses.MISSING
            or field.default_factory is not dataclasses.MISSING
        )
        if name not in content and not has_default:
            raise UserError(f"{where}.{name}: missing; add the key")
    hints = typing.get_type_hints(kind)
    values = {key: _checked(hints[key], value, f"{where}.{key}") for key, value in content.items()}
    return kind(**values)


def parse_settings(kind: type[Settings], text: str, where: str) -> Settings:
    """Return the settings of a command-line argument that holds JSON."""
    return read_settings(kind, parse_json(text, dict, where), where)


def parse_json(text: str, kind: type, where: str) -> Any:
    """Return a command-line argument that holds JSON; `UserError` unless it is of type `kind`."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{where}: not valid JSON ({error.msg}); quote the argument") from error
    if not isinstance(content, kind):
        raise UserError(f"{where}: expected a JSON {kind.__name__}, found {text[:40]!r}")
    return content


def _checked(hint: Any, value: Any, where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        (hint,) = (option for option in typing.get_args(hint) if option is not type(None))
        return _checked(hint, value, where)
    if origin is list:
        if not isinstance(value, list):
            raise UserError(f"{where}: expected a list, found {value!r}; mend config")
        (element,) = typing.get_args(hint)
        return [_checked(element, item, f"{where}[{n}]") for n, item in enumerate(value)]
    if dataclasses.is_dataclass(hint):
        return read_settings(hint, value, where)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise UserError(f"{where}: expected {hint.__name__}, found {value!r}; mend config")
    return value
