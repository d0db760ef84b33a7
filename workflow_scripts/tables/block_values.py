"""What the blocks of config that describe tables have in common: one JSON object, checked."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from workflow_scripts.datasets.options import REQUIRED, Option, fill_options
from workflow_scripts.errors import UserError

TEXT = Option((str,))
OPTIONAL_TEXT = Option((str,), None)
LIST = Option((list,))
OPTIONAL_LIST = Option((list,), None)


def read_object(text: str, option: str, known: Mapping[str, Option]) -> dict[str, Any]:
    """Return the JSON object given with a command-line option, its optional keys filled in.

    A key that may be left out may be null too. Raises `UserError` naming the option and the key.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{option}: not valid JSON ({error.msg}); give one object") from error
    return checked(value, option, known)


def checked(value: Any, where: str, known: Mapping[str, Option]) -> dict[str, Any]:
    """Return an object with its optional keys filled in; null counts as left out.

    Raises `UserError` opening with `where` for another value, an unknown or missing key and a wrong
    type.
    """
    if isinstance(value, dict):
        absent = {k for k, v in value.items() if v is None and k in known}
        absent = {name for name in absent if known[name].default is not REQUIRED}
        value = {name: content for name, content in value.items() if name not in absent}
    return fill_options(value, known, where)


def strings(values: Iterable[Any] | None, where: str) -> tuple[str, ...]:
    """Return a list of strings as a tuple, none for None; `UserError` for any other content."""
    values = tuple(values or ())
    wrong = next((value for value in values if not isinstance(value, str)), None)
    if wrong is not None:
        raise UserError(f"{where}: expected strings, found {wrong!r}; mend the config")
    return values


def check_distinct(values: list[str], where: str) -> None:
    """Raise `UserError` if a value occurs twice."""
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise UserError(f"{where}: `{twice}` twice; rename or remove one")


def titles(values: Iterable[Any], where: str) -> dict[str, str]:
    """Return the title of each id from a list of {"id": ..., "title": ...}, in order.

    Raises `UserError` for other content and an id given twice.
    """
    found = [checked(value, where, {"id": TEXT, "title": TEXT}) for value in values]
    check_distinct([value["id"] for value in found], where)
    return {value["id"]: value["title"] for value in found}
