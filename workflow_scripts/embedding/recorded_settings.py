"""The settings of an encoder of a command: by options, else as its folder records them."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import UnionType
from typing import Any, get_origin, get_type_hints

from workflow_scripts.downloads.model_files import local_path
from workflow_scripts.embedding.settings import (
    OPTIONS,
    POOLINGS,
    ROLES,
    EncoderSettings,
    SettingsOptions,
)
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_json

_NAMES = [each.name for each in fields(EncoderSettings)]
_NO_LIMIT = 100_000
_REMEDY = "take it from where the encoder is whole, or give --pooling and --max-length"
# Normalize leaves cosines as they are.
_KNOWN_MODULES = {"Transformer", "Pooling", "Normalize"}
_OLD_POOLINGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
}
# what sentence-transformers calls the prompts of our roles
_PROMPT_NAMES = {"query": ("query",), "passage": ("document", "passage", "corpus")}


def settle_settings(model: str, options: SettingsOptions) -> EncoderSettings:
    """Return the settings of an encoder: by the options, else as its folder records them."""
    return join_settings(model, recorded_settings(model), given_settings(options))


def given_settings(options: SettingsOptions) -> dict[str, Any]:
    """Return the settings that options give, as they are recorded."""
    given = {name: getattr(options, name) for name in _NAMES if name != "prompts"}
    settings = {name: value for name, value in given.items() if value is not None}
    if options.prompt:
        settings["prompts"] = dict(map(_read_prompt, options.prompt))
    return settings


def _read_prompt(text: str) -> tuple[str, str]:
    role, equals, prompt = text.partition("=")
    if not equals or role not in ROLES:
        problem, remedy = "not ROLE=TEXT", f"write one of {'=, '.join(ROLES)}= and the text"
        raise UserError(f"--prompt {text}", problem, remedy)
    return role, prompt


def join_settings(
    model: str, *records: Mapping[str, Any], called: Mapping[str, str] = OPTIONS
) -> EncoderSettings:
    """Return the settings of records, later ones first; `UserError` without a pooling.

    `called` is what messages call the settings.
    """
    joined = {key: value for record in records for key, value in record.items()}
    if "pooling" not in joined:
        known = "|".join(POOLINGS)
        # a hub id is no folder either
        shown = model if local_path(model).is_dir() else f"{model}, no folder here,"
        where = called.get("pooling", "pooling")
        raise UserError(where, f"{shown} does not record one", f"give {where} {known}")
    return EncoderSettings.from_record(joined, called)


def recorded_settings(model: str) -> dict[str, Any]:
    """Return the settings that an encoder's folder records, as far as it does."""
    folder = local_path(model)
    own = folder / "encoder.json"
    with damaged_file_error(own if own.is_file() else folder / "modules.json", _REMEDY):
        return _read_own_record(own) if own.is_file() else _read_other_record(folder)


def _read_own_record(path: Path) -> dict[str, Any]:
    """Return the settings of an encoder's own record."""
    record = {**read_json(path)}  # TypeError for what is no object
    settings = {name: record[name] for name in _NAMES if name in record}
    for name, declared in get_type_hints(EncoderSettings).items():
        # of a mapping its class
        kind = declared if isinstance(declared, UnionType) else get_origin(declared) or declared
        if name in settings and not isinstance(settings[name], kind):
            raise TypeError(f"{name} is {settings[name]!r}")
    return settings


def _read_other_record(folder: Path) -> dict[str, Any]:
    """Return the settings of a folder of sentence-transformers, as far as they are known."""

    def read(name: str) -> Any:
        return read_json(folder / name) if (folder / name).is_file() else {}

    modules = {entry["type"].rpartition(".")[2]: entry for entry in read("modules.json")}
    if set(modules) - _KNOWN_MODULES or "Pooling" not in modules:
        return {}
    own = read("sentence_bert_config.json")
    # strings are not changed here before they are encoded, but for prompts
    if own.get("do_lower_case"):
        return {}
    record: dict[str, Any] = {}
    pooling = read(f"{modules['Pooling']['path']}/config.json")
    others = [key for key in pooling if key.startswith("pooling_mode_") and pooling[key]]
    old = _OLD_POOLINGS.get(others[0]) if len(others) == 1 else None
    if (mode := pooling.get("pooling_mode", old)) in _OLD_POOLINGS.values():
        record["pooling"] = mode
    if prompts := _read_prompts(read("config_sentence_transformers.json")):
        # a pooling that leaves the prompt's tokens out is none of ours
        if not pooling.get("include_prompt", True):
            return {}
        record["prompts"] = prompts
    lengths = [own.get("max_seq_length"), read("tokenizer_config.json").get("model_max_length")]
    # transformers writes 10^30 where a tokenizer has no limit
    known = [length for length in lengths if isinstance(length, int) and length < _NO_LIMIT]
    return record | ({"max_length": known[0]} if known else {})


def _read_prompts(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the prompts by role that sentence-transformers would use.

    A role without a prompt of its own takes the default one, there as here, so that an empty one
    counts where there is a default.
    """
    named: dict[str, str] = config.get("prompts") or {}
    prompts = {}
    if (default := config.get("default_prompt_name")) is not None:
        prompts["default"] = named[default]
    for role, names in _PROMPT_NAMES.items():
        if (name := next((name for name in names if name in named), None)) is not None:
            prompts[role] = named[name]
    return {role: prompt for role, prompt in prompts.items() if prompt or prompts.get("default")}
