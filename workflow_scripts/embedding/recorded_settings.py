"""The settings of an encoder of a command: by options, else as its folder records them."""

from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Any, get_origin, get_type_hints

from workflow_scripts.downloads.model_files import resolve_model_folder
from workflow_scripts.embedding.sentence_transformers_files import (
    RecordedModel,
    read_modules_after_pooling,
    read_sentence_transformers_files,
)
from workflow_scripts.embedding.settings import (
    OPTIONS,
    POOLINGS,
    RECIPE_KEYS,
    RECORDED,
    ROLES,
    SETTINGS,
    EncoderSettings,
    SettingsOptions,
)
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_json

_REMEDY = "copy it from a complete encoder, or give --pooling and --max-length"


def settle_settings(model: str, options: SettingsOptions) -> EncoderSettings:
    """Return the settings of an encoder: by the options, else as its folder records them."""
    given = given_settings(options)
    return join_settings(model, recorded_settings(model, given), given)


def recipe_settings(model: str, record: Mapping[str, Any]) -> EncoderSettings:
    """Return the settings that a recipe has for a model, by its record.

    With pooling `recorded` they are those of the model's folder, but for what else the recipe says;
    its length then is the longest that strings may have.
    """
    if record["pooling"] != RECORDED:
        return EncoderSettings.from_record(record, RECIPE_KEYS)
    recorded, longest = recorded_settings(model), record["max_length"]
    length = min(recorded.get("max_length", longest), longest)
    own = {**record, "max_length": length}
    del own["pooling"]
    return join_settings(model, recorded, own, called=RECIPE_KEYS)


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
        where, known = called.get("pooling", "pooling"), "|".join(POOLINGS)
        raise UserError(where, f"{model} does not record one", f"give {where} {known}")
    return EncoderSettings.from_record(joined, called)


def recorded_settings(model: str, given: Mapping[str, Any] = {}) -> dict[str, Any]:
    """Return the settings that a model's folder records, as far as it does; of a hub id, too.

    Raises `UserError` for a folder of sentence-transformers that does what this project cannot,
    unless a pooling is `given`: the model itself is then meant.
    """
    recorded = recorded_model(model)
    if recorded.problem and "pooling" not in given:
        raise UserError(
            model,
            f"an encoder of sentence-transformers that cannot be run here: {recorded.problem}",
            f"use sentence-transformers for it, or give {OPTIONS['pooling']} to use the model "
            "alone with this pooling",
        )
    return dict(recorded.settings)


def recorded_model(model: str) -> RecordedModel:
    """Return what the folder of a model, or of a hub id, says of itself.

    Raises `UserError` where there is none, and for damaged files.
    """
    folder = resolve_model_folder(model)
    own = folder / "encoder.json"
    with damaged_file_error(own if own.is_file() else folder / "modules.json", _REMEDY):
        if not own.is_file():
            return read_sentence_transformers_files(folder)
        return RecordedModel(_read_own_record(own), read_modules_after_pooling(folder))


def _read_own_record(path: Path) -> dict[str, Any]:
    """Return the settings of an encoder's own record."""
    record = {**read_json(path)}  # TypeError for a value that is not an object
    settings = {name: record[name] for name in SETTINGS if name in record}
    for name, declared in get_type_hints(EncoderSettings).items():
        # of a mapping its class
        kind = declared if isinstance(declared, UnionType) else get_origin(declared) or declared
        if name in settings and not isinstance(settings[name], kind):
            raise TypeError(f"{name} is {settings[name]!r}")
    return settings
