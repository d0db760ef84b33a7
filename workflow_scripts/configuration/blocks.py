"""The base of all typed blocks of config, the types of their keys, and their one-line errors.

A package that is chosen by name (a kind of corpus, a format, a method, a task, a kind of table) has
its own block in its own file; what all configs have is in `workflow_scripts.configuration.config`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from workflow_scripts.errors import (
    ConfigError,
    MissingKeyError,
    UnknownKeyError,
    UserError,
    control_in,
    nearest_name,
)

# ids make result paths; "--" joins the two sides of a lexicon pair
Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+([-_.][a-z0-9]+)*$")]
Text = Annotated[str, StringConstraints(min_length=1)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
WholeNumber = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]
# what torch takes
SEED_LIMIT = 2**63
Seed = Annotated[int, Field(ge=0, lt=SEED_LIMIT)]
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Rate = Annotated[float, Field(ge=0, lt=1)]
# of strings: as the files have it, or none at the ends and single spaces within
Whitespace = Literal["kept", "collapsed"]


def _distinct(values: list[Any]) -> list[Any]:
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise PydanticCustomError("twice", "has {value} twice; remove one", {"value": repr(twice)})
    return values


Item = TypeVar("Item")
Distinct = Annotated[list[Item], Field(min_length=1), AfterValidator(_distinct)]
# one id, or a list of them
Papers = Annotated[
    list[Id], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
]


class Block(BaseModel):
    """A closed block of config. docs/reference/config.md shows the description of each field."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: Any) -> Any:
        if isinstance(value, cls):
            return value
        if not isinstance(value, Mapping):
            raise PydanticCustomError("no_block", "must be keys and values (key: value)")
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in value:
            if key not in known:
                context = {"key": str(key), "hint": nearest_name(key, known)}
                raise PydanticCustomError("unknown_key", "unknown key", context)
        return value


AnyBlock = TypeVar("AnyBlock", bound=BaseModel)
# returns the file of a key (a path of keys from the top of the config)
FileOf = Callable[[tuple[str, ...]], str]


def mistake(message: str) -> PydanticCustomError:
    """Return the error for a validator to raise; `message` continues "`key` is value; "."""
    return PydanticCustomError("mistake", "{said}", {"said": message})


def wildcard_in(path: str) -> str | None:
    """Return the part of an input path that Snakemake would take for a wildcard, or None."""
    match = re.search(r"\{\s*[.\w]+\s*(,[^{}]*)?\}", path)
    return match and match[0]


def wildcard_error(file: str | Path, wildcard: str) -> UserError:
    problem = f"Snakemake takes {wildcard} in a path for a wildcard"
    return UserError(file, problem, "rename it")


def _usable_in_rules(path: str) -> str:
    if control := control_in(path):
        raise mistake(f"rename it: it contains {control}, which would garble terminals and lists")
    # "./a//b/" in the form in which Snakemake takes it without hundreds of warnings
    path = str(PurePosixPath(path))
    if path.startswith("-"):
        raise mistake("rename it: a name that begins with - looks like an option")
    if wildcard := wildcard_in(path):
        raise mistake(f"rename it: Snakemake takes {wildcard} in a path for a wildcard")
    return path


# a file or folder that rules depend on
RulePath = Annotated[Text, AfterValidator(_usable_in_rules)]


def _no_tag(path: str) -> str:
    if "<" in path:
        raise mistake("rename it: Snakemake's report would take `<` for the start of a tag")
    return path


# the folder of results, whose name is in all that the report shows
ResultsPath = Annotated[RulePath, AfterValidator(_no_tag)]


def read_block(
    kind: type[AnyBlock], value: Any, where: str = "", file: str | FileOf = "config"
) -> AnyBlock:
    """Return `value` as a typed block; `where` is its key ("recipes.mirror-word").

    `file` is the file of the block, or returns that of a path of keys. Raises `UserError`, one line
    that names file, key and remedy: an unknown key before all else, then all missing keys at once.
    """
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise _explained(error, value, where, file) from None


# which mistakes are named before others
_FIRST = {"unknown_key": 0, "missing": 1}


def _explained(error: ValidationError, value: Any, where: str, file: str | FileOf) -> UserError:
    above = tuple(where.split(".")) if where else ()
    problems = [
        (detail, (*above, *_keys(detail["loc"], value, detail["type"] == "missing")))
        for detail in error.errors(include_url=False)
    ]
    # a union reports "not a block" as well as what is wrong with the value as a number
    better = [pair for pair in problems if pair[0]["type"] != "no_block"]
    # of the branches of a union, take the one that got furthest into the value
    problems = sorted(better or problems, key=lambda p: (_FIRST.get(p[0]["type"], 2), -len(p[1])))
    first, path = problems[0]
    file_of = file if callable(file) else lambda _: file
    if first["type"] == "missing":
        missing = [_name(keys) for detail, keys in problems if detail["type"] == "missing"]
        own = file_of(path[:-1])
        if len(missing) > 1:
            names = ", ".join(f"`{name}`" for name in missing)
            return UserError(own, f"keys {names} are missing", "add them")
        return MissingKeyError(own, missing[0])
    if first["type"] == "unknown_key":
        path = (*path, first["ctx"]["key"])
        return UnknownKeyError(file_of(path), _name(path), first["ctx"]["hint"])
    if first["type"] == "mistake" and path and _has_blocks(first["input"]):
        # whose text would say nothing to who wrote a key of it
        return UserError(f"{file_of(path)}: `{_name(path)}`", first["msg"], None)
    problem, remedy = f"is {_shown(first['input'])}", _remedy(first)
    if not path:
        return UserError(file_of(path), f"this {problem}", remedy)
    return ConfigError(file_of(path), _name(path), problem, remedy)


def _has_blocks(value: Any) -> bool:
    parts = value if isinstance(value, list) else [value]
    return any(isinstance(part, Mapping) for part in parts)


def _name(path: Iterable[str]) -> str:
    return ".".join(part if part.isprintable() else repr(part) for part in path)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _keys(loc: tuple[int | str, ...], value: Any, missing: bool) -> list[str]:
    """Return the parts of a location that are keys: pydantic puts names of types among them."""
    keys = []
    for part in loc[:-1] if missing else loc:
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            # an item by its id, where it has one
            item = value[part]
            part = item.get("id", part) if isinstance(item, Mapping) else part
            value = item
        else:
            continue
        keys.append(str(part))
    return [*keys, str(loc[-1])] if missing else keys


def _remedy(error: Any) -> str:
    kind, context, value = error["type"], error.get("ctx", {}), error["input"]
    written = _as_yaml_number(value) if isinstance(value, str) else None
    if kind == "int_type" and written:
        number = float(written)
        written = f"{number:.0f}" if number.is_integer() and abs(number) < 2**53 else None
    if kind in ("float_type", "int_type") and written:
        return f"YAML reads it as text, not as a number: write {written}"
    if kind == "literal_error":
        names = re.findall(r"'([^']*)'", context["expected"]) or [context["expected"]]
        near = nearest_name(value, names)
        hint = f" ({near})" if near.startswith("did you mean") else ""
        return f"use one of: {', '.join(names)}{hint}"
    if kind == "string_pattern_mismatch":
        if context["pattern"].startswith("^[a-z0-9]+([-_.]"):
            return "ids: small letters and digits, joined by single - _ or ."
        return f"it must match {context['pattern']}"
    words = {
        "greater_than": "give a number above {gt}",
        "greater_than_equal": "give a number of {ge} or more",
        "less_than": "give a number below {lt}",
        "less_than_equal": "give a number of at most {le}",
        "int_type": "give a whole number",
        "float_type": "give a number",
        "bool_type": "give true or false",
        "string_type": "give text",
        "string_too_short": "give text",
        "list_type": "give a list: [a, b]",
        "dict_type": "give keys and values (key: value)",
        "too_short": "give at least {min_length}",
        "too_long": "give at most {max_length}",
        "no_block": "give keys and values (key: value)",
        "finite_number": "give a finite number",
        "int_from_float": "give a whole number",
    }
    return words[kind].format(**context) if kind in words else error["msg"]


def _as_yaml_number(text: str) -> str | None:
    """Return how YAML 1.1 wants the number in `text` written (3e-4: 3.0e-4), None if it is none."""
    match = re.fullmatch(r"(?a)\s*([+-]?\d+)(?:\.(\d*))?(?:[eE]([+-]?)(\d+))?\s*", text)
    if not match:
        return None
    whole, fraction, sign, exponent = match.groups()
    written = f"{whole}.{fraction or '0'}"
    return written if exponent is None else f"{written}e{sign or '+'}{exponent}"
