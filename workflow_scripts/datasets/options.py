"""Closed sets of options: what a block of config may hold, with types, choices and defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflow_scripts.errors import UserError, nearest_name


class _Required:
    """The type of `REQUIRED`."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


@dataclass(frozen=True)
class Option:
    """One key of a block: the types it takes, its default, and the values it is limited to.

    A default of `REQUIRED` means that the key must be given; a default of None, that it may be
    left out or be null.
    """

    types: tuple[type, ...]
    default: Any = REQUIRED
    choices: tuple[Any, ...] = ()


def _is_of_type(value: Any, types: tuple[type, ...]) -> bool:
    # bool is a subclass of int: `size: true` must not pass for a number.
    if isinstance(value, bool):
        return bool in types
    return isinstance(value, types)


def fill_options(
    given: Mapping[str, Any], known: Mapping[str, Option], where: str
) -> dict[str, Any]:
    """Return `given` with defaults filled in.

    Raises `UserError`, its message opening with `where`, for an unknown key (naming the nearest
    known one), a missing key, a value of the wrong type or outside the choices.
    """
    if not isinstance(given, Mapping):
        raise UserError(f"{where}: expected a block of keys, found {given!r}; write key: value")
    for name in given:
        if name not in known:
            hint = nearest_name(str(name), list(known))
            raise UserError(f"{where}: unknown option {name!r}; {hint}")
    filled: dict[str, Any] = {}
    for name, option in known.items():
        value = given.get(name, option.default)
        if value is REQUIRED:
            raise UserError(f"{where}: option {name!r} is missing; add it")
        if value is None and option.default is None:
            filled[name] = None
            continue
        if not _is_of_type(value, option.types):
            wanted = " or ".join(kind.__name__ for kind in option.types)
            raise UserError(f"{where}: option {name!r} must be {wanted}, found {value!r}")
        if option.choices and value not in option.choices:
            hint = nearest_name(str(value), [str(choice) for choice in option.choices])
            raise UserError(f"{where}: option {name!r} cannot be {value!r}; {hint}")
        filled[name] = value
    return filled
