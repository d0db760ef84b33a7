"""The settings of an encoder of a command: by options, else as its folder records them."""

from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Any, get_origin, get_type_hints

from workflow_scripts.downloads.model_files import local_path
from workflow_scripts.embedding.sentence_transformers_files import (
    read_sentence_transformers_files,
)
from workflow_scripts.embedding.settings import (
    OPTIONS,
    POOLINGS,
    ROLES,
    SETTINGS,
    EncoderSettings,
    SettingsOptions,
)
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_json

_REMEDY = "take it from where the encoder is whole, or give --pooling and --max-length"


def settle_settings(model: str, options: SettingsOptions) -> EncoderSettings:
    """Return the settings of an encoder: by the options, else as its folder records them."""
    return join_settings(model, recorded_settings(model), given_settings(options))


def given_settings(options: SettingsOptions) -> dict[str, Any]:
    """Return the settings that options give, as they are recorded."""
    given = {name: getattr(options, name) for name in SETTINGS if name != "prompts"}
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
        where = called.get("pooling", "pooling")
        if local_path(model).is_dir():
            raise UserError(where, f"{model} does not record one", f"give {where} {known}")
        remedy = f"correct the path; of a hub id give {where} {known}"
        raise UserError(model, "no such folder", remedy)
    return EncoderSettings.from_record(joined, called)


def recorded_settings(model: str) -> dict[str, Any]:
    """Return the settings that an encoder's folder records, as far as it does."""
    folder = local_path(model)
    own = folder / "encoder.json"
    with damaged_file_error(own if own.is_file() else folder / "modules.json", _REMEDY):
        return _read_own_record(own) if own.is_file() else read_sentence_transformers_files(folder)


def _read_own_record(path: Path) -> dict[str, Any]:
    """Return the settings of an encoder's own record."""
    record = {**read_json(path)}  # TypeError for what is no object
    settings = {name: record[name] for name in SETTINGS if name in record}
    for name, declared in get_type_hints(EncoderSettings).items():
        # of a mapping its class
        kind = declared if isinstance(declared, UnionType) else get_origin(declared) or declared
        if name in settings and not isinstance(settings[name], kind):
            raise TypeError(f"{name} is {settings[name]!r}")
    return settings
