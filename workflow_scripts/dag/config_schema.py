"""Validation of the merged config against config/schema.yaml, with errors that teach."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from workflow_scripts.errors import UserError, nearest_name

SCHEMA_FILE = Path(__file__).resolve().parents[2] / "config" / "schema.yaml"


@cache
def load_schema() -> dict[str, Any]:
    """Return the JSON schema of the merged config."""
    return yaml.safe_load(SCHEMA_FILE.read_text(encoding="utf-8"))


def _key(path: Iterable[Any]) -> str:
    return ".".join(str(part) for part in path) or "(top level)"


def _explain(error: jsonschema.ValidationError) -> str:
    """Turn one schema error into a line that names the key and the remedy."""
    where = _key(error.absolute_path)
    prefix = "" if where == "(top level)" else f"{where}."
    validator, value = error.validator, error.validator_value
    if validator == "additionalProperties":
        known = error.schema.get("properties", {})
        unknown = next(key for key in error.instance if key not in known)
        return f"unknown key `{prefix}{unknown}`; {nearest_name(unknown, known)}"
    if validator == "required":
        missing = next(key for key in value if key not in error.instance)
        return f"key `{prefix}{missing}` is missing; add it"
    if validator == "enum":
        return f"`{where}` is {error.instance!r}; use one of: {', '.join(map(str, value))}"
    if validator == "type":
        hint = ""
        if isinstance(error.instance, str) and value in ("number", "integer"):
            hint = " (YAML reads 3e-4 as text: write 3.0e-4)"
        return f"`{where}` is {error.instance!r}; it must be of type {value}{hint}"
    if validator == "oneOf":
        if "not_run" in error.schema.get("properties", {}):
            return f"`{where}` needs either `model` and `recipe`, or `not_run` with the reason"
        if "dataset" in error.schema.get("properties", {}):
            return f"`{where}` needs either `dataset` or `datasets`"
        return (
            f"`{where}` needs one of `path`, `hub` with a pinned `revision`, `vectors`, `same_as` "
            "and `absent`"
        )
    if validator == "pattern":
        return (
            f"`{where}` is {error.instance!r}; it must match {value} "
            "(ids: small letters and digits, joined by single - _ or .)"
        )
    return f"`{where}`: {error.message}"


def validate_structure(config: dict[str, Any]) -> None:
    """Check the shape of the merged config.

    Raises `UserError` for the first mistake (an unknown key before all others), naming the key and
    the remedy.
    """
    errors = list(jsonschema.Draft202012Validator(load_schema()).iter_errors(config))
    if not errors:
        return
    # an unknown key is most often the cause of the other errors: a misspelt key is also missing
    errors.sort(key=lambda e: (e.validator != "additionalProperties", list(map(str, e.path))))
    raise UserError(f"config: {_explain(errors[0])}")
