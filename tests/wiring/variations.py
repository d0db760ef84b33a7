"""Every key of a config, changed: by section, a block, and the same with another value of a key.

A section is a type of block (recipes of a method, data sets of a format, ...), as in
docs/reference/config.md. For a key without a change of its own another value is made up by its
type, so that a new key is tested, or fails for want of a value, without a word here.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tools.describe_config import fields_of, parts_of, sections
from workflow_scripts.canonical import canonical


@dataclass(frozen=True)
class Change:
    """Another value of a key; `given` are other keys of the block, `row` of the row that shows it.

    Where the value needs other keys around it, `block` is the whole block with it. `at` is the key
    itself where `<id>` and `[]` are not the first item. `renamed` is the wildcard in names of jobs
    that the other value changes, (wildcard, value before, value after): such jobs are compared too.
    """

    value: Any
    given: Mapping[str, Any] = field(default_factory=dict)
    row: Mapping[str, Any] = field(default_factory=dict)
    block: Mapping[str, Any] | None = None
    at: str | None = None
    renamed: tuple[str, str, str] | None = None


@dataclass(frozen=True)
class Section:
    """How the keys of a type of block are changed, and what each change reaches.

    `wires` are the options of commands that every key reaches, as "rule option"; `wired` those of
    the keys that reach others. `same_number` are the keys that bear on no number, `no_command`
    those that not even reach a command, `not_run` those whose jobs cannot run here, and
    `not_changed` those that have no second value, all with the reason. A reason for `a.b` holds for
    what is below it. `files` are texts that the section's blocks read, by path below the data root;
    a copy of each without its last two lines is below `shorter/`.
    """

    base: Mapping[str, Any]
    wires: frozenset[str]
    changes: Mapping[str, Any] = field(default_factory=dict)
    wired: Mapping[str, frozenset[str]] = field(default_factory=dict)
    same_number: Mapping[str, str] = field(default_factory=dict)
    no_command: Mapping[str, str] = field(default_factory=dict)
    not_run: Mapping[str, str] = field(default_factory=dict)
    not_changed: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Variation:
    """A key of a section, the block to compare with, and the block with another value of it."""

    key: str
    before: dict[str, Any]
    after: dict[str, Any]
    row: Mapping[str, Any]
    value: Any
    renamed: tuple[str, str, str] | None = None


def all_keys() -> dict[str, dict[str, FieldInfo]]:
    """Return the field of every key by section and key: {"recipes.mirror": {"epochs": ...}}.

    Keys of blocks are left out where those within them stand for them.
    """
    found: dict[str, dict[str, FieldInfo]] = {}
    for title, prefix, block in sections():
        name = title.split("`")[1] if "`" in title else ""
        kind = prefix.split(".")[0] or "config"
        section = f"{kind}.{name}" if name else kind
        found[section] = keys_of(block)
    return found


def keys_of(block: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the field of every key of a type of block, as `all_keys` does."""
    keys = fields_of("", block)
    return {key: one for key, one in keys if not _is_only_a_block(one.annotation)}


def _is_only_a_block(kind: Any) -> bool:
    return all(_is_block(part) for part in parts_of(kind))


def _is_block(kind: Any) -> bool:
    if get_origin(kind) in (list, dict):
        return _is_only_a_block(get_args(kind)[-1])
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def other_value(kind: Any, value: Any) -> Any:
    """Return a value of a type that is not `value`; `LookupError` for a type without a rule."""
    for part in parts_of(kind):
        if part is bool:
            return not value
        if get_origin(part) is Literal:
            return next(one for one in get_args(part) if one != value)
        if part is int:
            return 2 if value is None else value + 1
        if part is float:
            return 0.25 if not value else value * 0.5
        if part is str:
            return "other" if value is None else f"{value} other"
    raise LookupError(f"no other value of {kind}: give one")


def set_key(block: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """Return a copy of a block with a key set; `[]` and `<id>` are the first item."""
    changed = deepcopy(block)
    place, parts = changed, key.split(".")
    for number, part in enumerate(parts):
        name, is_list = part.removesuffix("[]"), part.endswith("[]")
        if name == "<id>":
            name = next(iter(place))
        if number == len(parts) - 1:
            place[name] = deepcopy(value)
        else:
            place = place[name][0] if is_list else place.setdefault(name, {})
    return changed


def get_key(block: Any, key: str) -> Any:
    """Return the value of a key, None where it is left out."""
    for part in key.split("."):
        name = part.removesuffix("[]")
        if not isinstance(block, Mapping):
            return None
        block = block.get(next(iter(block)) if name == "<id>" else name)
        if part.endswith("[]"):
            block = block[0] if block else None
    return block


def variations(keys: Mapping[str, FieldInfo], section: Section) -> Iterator[Variation]:
    """Yield a variation of each key that has a second value."""
    for key, one in keys.items():
        if reason_of(section.not_changed, key):
            continue
        change = section.changes.get(key)
        if not isinstance(change, Change):
            change = Change(change)
        before = deepcopy(dict(section.base))
        for name, value in change.given.items():
            before = set_key(before, name, value)
        value, at = change.value, change.at or key
        if key not in section.changes or value is ...:
            known = get_key(before, at)
            default = None if one.is_required() else one.default
            value = other_value(one.annotation, default if known is None else known)
        after = dict(change.block) if change.block else set_key(before, at, value)
        assert canonical(before) != canonical(after), f"{key}: no other value"
        yield Variation(key, before, after, change.row, value, change.renamed)


def reason_of(reasons: Mapping[str, str], key: str) -> str | None:
    """Return the reason of a key, or of what it is within."""
    for length in range(len(key), 0, -1):
        if key[:length] in reasons and (length == len(key) or key[length] in ".["):
            return reasons[key[:length]]
    return None
