"""The settings of an encoder: how the weights of its model map strings to vectors. Without torch.

Each is declared once, as a field of `EncoderSettings`; tests/embedding/test_settings.py goes over
the fields and demands that each is recorded, compared, exported and applied.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self

from workflow_scripts.errors import UserError

Pooling = Literal["cls", "mean", "mean_pieces", "mean_padded", "max", "pooler", "projected"]
POOLINGS: dict[str, str] = {
    "cls": "last hidden state at the first position, before the pooler layer",
    "mean": "mean of the last hidden states over the real tokens",
    "mean_pieces": "mean of the last hidden states over the real tokens between the first and the "
    "last, [CLS] and [SEP]",
    "mean_padded": "mean of the last hidden states over all positions, padding up to the maximum "
    "length included (padding is masked in attention, not in the mean)",
    "max": "largest value of each unit of the last hidden states over the real tokens",
    "pooler": "first position after the model's own pooler layer",
    "projected": (
        "mean of CMLM's projections of `mean`, for an encoder trained by CMLM; only in recipes "
        "of method none"
    ),
}
# of a recipe of method none: the settings are those that the model's folder records
RECORDED = "recorded"
# which need the last layer
LAST_LAYER_POOLINGS = ("pooler", "projected")

# Positions of this many tokens at least, so that a string keeps one piece between its two marks.
SHORTEST_MAX_LENGTH = 3
DEFAULT_MAX_LENGTH = 64
# Settings that every record has; of others, those that are set.
ALWAYS_RECORDED = ("pooling", "max_length")

ROLES: dict[str, str] = {
    "default": "strings without a role: in pairs, in classification and in tuning",
    "query": "strings to search for: queries, mentions to link",
    "passage": "strings to search in: lines of a file, names to link to",
}


@dataclass(frozen=True)
class EncoderSettings:
    """How a string becomes a vector: prompt, tokens, layer, pooling.

    Strings are cut to `max_length` tokens, special tokens and the prompt included. `layer` is the
    layer whose hidden states are pooled (1: the first; None: the last). `prompts` holds the text to
    put before a string, by its role (one of `ROLES`). `dimensions` is the number of leading
    dimensions to keep (None: all), as `truncate_dim` of sentence-transformers.
    """

    pooling: str
    max_length: int = DEFAULT_MAX_LENGTH
    layer: int | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    dimensions: int | None = None

    def prompt(self, role: str = "default") -> str:
        """Return the prompt for a role: its own, else the default one, else an empty string."""
        return self.prompts.get(role, self.prompts.get("default", ""))

    def texts(self, strings: Sequence[str], role: str = "default") -> Sequence[str]:
        """Return what the tokenizer gets of strings: each behind the prompt of its role.

        Running text has no roles, and its recipes no prompts.
        """
        prompt = self.prompt(role)
        return [prompt + string for string in strings] if prompt else strings

    def as_record(self) -> dict[str, Any]:
        """Return the settings as JSON values; those that are optional and not set are left out."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        usual = vars(EncoderSettings(self.pooling))
        return {
            name: value
            for name, value in values.items()
            if name in ALWAYS_RECORDED or value != usual[name]
        }

    def describe(self) -> str:
        """Return the settings in words, for what a command prints."""
        record = self.as_record()
        first = f"pooling {record.pop('pooling')}, {record.pop('max_length')} tokens at most"
        return ", ".join([first, *(f"{name} {value}" for name, value in record.items())])

    @classmethod
    def from_record(cls, record: Mapping[str, Any], called: Mapping[str, str] = {}) -> Self:
        """Return the settings that a record holds among other things; others have their default.

        Raises `UserError` for a value that no model can take; `called` is what its message calls
        the settings.
        """
        names = [each.name for each in fields(cls)]
        settings = cls(**{name: record[name] for name in names if name in record})
        settings.check(called)
        return settings

    def check(self, called: Mapping[str, str] = {}) -> None:
        """Raise `UserError` for a setting that no model can take, by what `called` calls it."""
        name, problem, remedy = "pooling", "", ""
        if self.pooling not in POOLINGS:
            problem, remedy = "unknown", f"use one of {', '.join(POOLINGS)}"
        elif self.max_length < SHORTEST_MAX_LENGTH:
            name, problem = "max_length", f"less than {SHORTEST_MAX_LENGTH} tokens"
            remedy = "raise it"
        elif self.layer is not None and self.layer < 1:
            name, problem, remedy = "layer", "layers count from 1", "give 1 or more"
        elif self.layer is not None and self.pooling in LAST_LAYER_POOLINGS:
            name, problem = "layer", f"pooling {self.pooling} uses the last layer"
            remedy = "leave it out"
        elif self.dimensions is not None and self.dimensions < 1:
            name, problem, remedy = "dimensions", "a vector has at least one dimension", "raise it"
        elif unknown := sorted(set(self.prompts) - set(ROLES)):
            name, problem = "prompts", f"unknown role `{unknown[0]}`"
            remedy = f"use one of {', '.join(ROLES)}"
        elif any("\n" in prompt for prompt in self.prompts.values()):
            name, problem, remedy = "prompts", "more than one line", "give a text in one line"
        elif "" in self.prompts.values() and not self.prompts.get("default"):
            name, problem, remedy = "prompts", "an empty text", "leave it out"
        if problem:
            value = getattr(self, name)
            shown = f" {value!r}" if isinstance(value, str) else f" {value}"
            where = called.get(name, name) + (shown if name != "prompts" else "")
            raise UserError(where, problem, remedy)


SETTINGS = tuple(each.name for each in fields(EncoderSettings))
# What messages call a setting where a recipe gives it, and where an option of a command does.
RECIPE_KEYS = {name: name for name in SETTINGS} | {"max_length": "embed_max_length"}
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in SETTINGS} | {"prompts": "--prompt"}


@dataclass(frozen=True)
class SettingsOptions:
    """How strings become vectors: the settings as options of commands.

    Args:
        pooling: default: the encoder's own
        max_length: most tokens of a string (default: the encoder's own, else 64)
        layer: layer to pool, from 1 (default: the encoder's own, else the last)
        prompt: ROLE=TEXT: TEXT precedes strings of role default, query or passage
        dimensions: first dimensions to keep (default: the encoder's own, else all)
    """

    pooling: Pooling | None = None
    max_length: int | None = None
    layer: int | None = None
    prompt: Sequence[str] | None = None
    dimensions: int | None = None
