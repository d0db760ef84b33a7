"""The command line of a path function, made of its signature and docstring (`path_functions`).

argparse assigns the words to the options. What a word may be is decided here: numbers are plain
decimal ones, as those of files are, and a mistake is one line that names the option.
"""

import argparse
import dataclasses
import inspect
import json
import re
import shlex
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FunctionType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NoReturn,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.files import parse_number
from workflow_scripts.path_functions import MAY_BE_BARE
from workflow_scripts.usage import log_head, usage_file

# the default of an option that is needed
NEEDED: Any = inspect.Parameter.empty
# the value of an option without one
_BARE = object()
# int() would take 4_5 and digits of other scripts, and fails at 5,000
_WHOLE = re.compile(r"[+-]?[0-9]{1,99}")
_JSON_REMEDY = 'give {"key": value, ...}'
_HELP = ("-h", "--help")
_COLUMNS, _WIDEST_NAME, _WIDEST_CHOICES = 100, 30, 40
_WHOLE_WORDS: Any = {"break_on_hyphens": False, "break_long_words": False}


class Option(NamedTuple):
    """An option, or a positional word, of a command.

    `kind` is the type of its value, or of each where it is `several`; of a choice it is a Literal.
    `path` leads to it: the parameter of the path function, and the field of that if it is a group.
    """

    name: str
    kind: Any
    several: bool
    may_be_bare: bool
    default: Any
    path: tuple[str, ...]

    @property
    def needed(self) -> bool:
        return self.default is NEEDED

    @property
    def is_word(self) -> bool:
        return not self.name.startswith("-")

    @property
    def choices(self) -> tuple[str, ...]:
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def lists_choices(self) -> bool:
        """Return whether there are too many choices to stand next to the name."""
        return len("|".join(self.choices)) > _WIDEST_CHOICES

    @property
    def value_name(self) -> str:
        """Return what stands for the value in help, "" for a flag."""
        names = {bool: "", int: "N", float: "NUMBER", str: "TEXT", Path: "PATH", dict: "JSON"}
        if self.lists_choices:
            name = self.path[-1].upper()
        else:
            name = "|".join(self.choices) or names[self.kind]
        name += " ..." if self.several else ""
        return f"[{name}]" if self.may_be_bare else name

    @property
    def shown(self) -> str:
        return self.name if self.is_word else f"{self.name} {self.value_name}".rstrip()


class Group(NamedTuple):
    """Options under one heading, each with its help."""

    title: str
    options: list[tuple[Option, str]]


def read_options(function: FunctionType) -> list[Option]:
    """Return the options of a path function in their order, those of groups one by one."""
    hints = get_type_hints(function, include_extras=True)
    options = []
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints[name]
        if dataclasses.is_dataclass(hint):
            inner = get_type_hints(hint, include_extras=True)
            for field in dataclasses.fields(hint):
                default = _default_of(field)
                options.append(_option((name, field.name), inner[field.name], default))
        else:
            is_word = parameter.kind is inspect.Parameter.POSITIONAL_ONLY
            options.append(_option((name,), hint, parameter.default, is_word))
    return options


def _default_of(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return NEEDED if field.default is dataclasses.MISSING else field.default


def _option(path: tuple[str, ...], hint: Any, default: Any, is_word: bool = False) -> Option:
    kind, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    # of a Literal it is a Union
    if get_origin(kind) in (UnionType, Union):
        kind, _ = get_args(kind)  # T | None
    if several := get_origin(kind) is Sequence:
        (kind,) = get_args(kind)
    if get_origin(kind) is dict:
        kind = dict
    name = path[-1].upper() if is_word else f"--{path[-1].replace('_', '-')}"
    return Option(name, kind, several, MAY_BE_BARE in marks, default, path)


def run_mode(
    modes: Mapping[str, FunctionType], about: str, argv: Sequence[str] | None, example: str
) -> None:
    """Call the path function that the first word of a command line names; as `run`."""
    argv = sys.argv[1:] if argv is None else [*argv]
    if argv and argv[0] in modes:
        run(modes[argv[0]], argv[1:], mode=argv[0])
        return
    if argv and argv[0] in _HELP:
        _print_help(format_modes(modes, about, example))
    if not argv:
        raise UserError("MODE", "missing", f"give {' or '.join(modes)}")
    raise UserError(argv[0], "no such mode", nearest_name(argv[0], modes))


def _print_help(text: str) -> NoReturn:
    with suppress(BrokenPipeError):  # of `| head`
        print(text)
    sys.exit(0)


def run(
    function: FunctionType, argv: Sequence[str] | None, example: str = "", mode: str = ""
) -> None:
    """Call a path function with what a command line says, or print its help and exit.

    Raises `UserError` for words that do not fit, before the function is called. `mode` is the word
    that led to it, of a command of several path functions.
    """
    argv = sys.argv[1:] if argv is None else [*argv]
    if not {*_HELP}.isdisjoint(argv):
        _print_help(format_help(function, example, mode))
    options = read_options(function)
    words = _assign_words(options, argv)
    pairs = [*zip(options, words, strict=True)]
    if missing := [option.name for option, word in pairs if option.needed and word is None]:
        raise UserError(", ".join(missing), "missing", f"see {typed(function, mode)} --help")
    values = {option.path: _read_value(option, word) for option, word in pairs}
    bound, hints = inspect.signature(function).bind_partial(), get_type_hints(function)
    for name in bound.signature.parameters:
        if (name,) in values:
            bound.arguments[name] = values[(name,)]
        else:
            fields = {path[1]: field for path, field in values.items() if path[0] == name}
            bound.arguments[name] = hints[name](**fields)
    # the log of a job begins with this
    if usage_file():
        seed = next((value for path, value in values.items() if path[-1] == "seed"), None)
        print(log_head(seed), end="", file=sys.stderr)
    function(*bound.args, **bound.kwargs)


def _parser(options: Sequence[Option]) -> argparse.ArgumentParser:
    """Return what assigns words to options as they are: what they may be is read afterwards."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for number, option in enumerate(options):
        how: dict[str, Any] = {"dest": f"option_{number}", "default": None}
        if option.kind is bool:
            how |= {"action": "store_true"}
        elif option.several:
            bare = option.default == () or option.may_be_bare
            how |= {"nargs": "*" if bare else "+", "action": "extend"}
        elif option.may_be_bare or option.is_word:
            how |= {"nargs": "?", "const": _BARE}
        # a word has the name of its value alone
        parser.add_argument(*([] if option.is_word else [option.name]), **how)
    return parser


def _assign_words(options: Sequence[Option], argv: Sequence[str]) -> list[Any]:
    """Return the words of each option as they are: None if it is left out.

    They are a text, a list if several may be there, and True of a flag.
    """
    # a negative number in any notation is a value, not an option; no word can hold a NUL
    words = [f"\0{word}" if parse_number(word) is not None else word for word in argv]
    try:
        assigned, unused = _parser(options).parse_known_args(words)
    except argparse.ArgumentError as error:
        flags = {option.name for option in options if option.kind is bool}
        if error.argument_name in flags:
            raise UserError(error.argument_name, "is a flag", "give it without a value") from None
        raise UserError(error.argument_name, "has no value", "give one") from None
    for word in unused:
        if word.startswith("-") and word != "-":
            name = word.partition("=")[0]
            names = [option.name for option in options if not option.is_word]
            raise UserError(name, "no such option", nearest_name(name, names))
    if unused:
        shown = shlex.join(map(_as_given, unused))
        raise UserError(shown, "not expected here", "--help lists the options")
    values = [getattr(assigned, f"option_{number}") for number in range(len(options))]
    return [
        [*map(_as_given, value)] if isinstance(value, list) else _as_given(value)
        for value in values
    ]


def _as_given(word: Any) -> Any:
    return word.removeprefix("\0") if isinstance(word, str) else word


def _read_value(option: Option, words: Any) -> Any:
    if words is None or words is _BARE:
        return option.default
    if option.kind is bool:
        return words
    if option.several:
        return [_read_word(option, word) for word in words]
    return _read_word(option, words)


def _read_word(option: Option, word: str) -> Any:
    """Return the value that a word stands for; `UserError` by the option if it stands for none."""
    where = f"{option.name} {word}"
    if option.kind is dict:
        try:
            content = json.loads(word)
        except ValueError as error:
            problem = f"not valid JSON ({error})"
            raise UserError(option.name, problem, _JSON_REMEDY) from error
        if not isinstance(content, dict):
            raise UserError(option.name, "not a JSON object", _JSON_REMEDY)
        return content
    if option.kind is int:
        if not _WHOLE.fullmatch(word):
            raise UserError(where, "not a whole number", "give one such as 10")
        return int(word)
    if option.kind is float:
        if (number := parse_number(word)) is None:
            raise UserError(where, "not a number", "give one such as 0.5")
        return number
    if option.choices and word not in option.choices:
        raise UserError(where, "unknown", nearest_name(word, option.choices))
    return word if option.choices else option.kind(word)


def read_help(function: FunctionType) -> tuple[str, list[Group]]:
    """Return what a path function does, and its options by group, the needed ones of each first."""
    about, texts = _read_docstring(function)
    hints = get_type_hints(function)
    groups: dict[str, list[tuple[Option, str]]] = {"arguments": [], "options": []}
    for option in read_options(function):
        parameter, field = option.path[0], option.path[-1]
        title, text = "arguments" if option.is_word else "options", texts.get(parameter, "")
        if len(option.path) > 1:
            title = _title_of(hints[parameter])
            text = _field_texts(hints[parameter]).get(field, "")
        groups.setdefault(title, []).append((option, " ".join(text.split())))
    return about, [
        Group(title, sorted(rows, key=lambda row: not row[0].needed))
        for title, rows in groups.items()
        if rows
    ]


def _field_texts(group: type) -> dict[str, str]:
    """Return what the class of a group and those it extends say of each field."""
    texts: dict[str, str] = {}
    for base in reversed(group.__mro__[:-1]):
        texts |= _read_docstring(base)[1]
    return texts


def _title_of(group: type) -> str:
    """Return "name encoder" for the class NameEncoderOptions."""
    words = re.findall(r"[A-Z][a-z0-9]*", group.__name__.removesuffix("Options"))
    return " ".join(words).lower()


def _read_docstring(described: Any) -> tuple[str, dict[str, str]]:
    """Return what a function or class is, and what its "Args:" say of each name."""
    from docstring_parser import parse

    parsed = parse(inspect.getdoc(described) or "")
    about = filter(None, (parsed.short_description, parsed.long_description))
    return "\n\n".join(about), {part.arg_name: part.description or "" for part in parsed.params}


def default_text(option: Option, text: str) -> str:
    """Return the default of an option where its help, `text`, does not tell it; "" without one."""
    is_shown = type(option.default) in (str, int, float) and "default" not in text
    return str(option.default) if is_shown else ""


def format_modes(modes: Mapping[str, FunctionType], about: str, example: str) -> str:
    """Return the help of a command of several path functions: its modes, and an example."""
    command = typed(next(iter(modes.values())))
    width = max(map(len, modes))
    lines = ["modes (MODE --help lists the options of each):"]
    for name, function in modes.items():
        about_mode = read_help(function)[0].split("\n\n")[0]
        lines += _entry(name, " ".join(about_mode.split()), width)
    parts = [f"usage: {command} {'|'.join(modes)} [OPTION ...]"]
    parts += [textwrap.fill(paragraph, _COLUMNS) for paragraph in about.split("\n\n")]
    return "\n\n".join([*parts, "\n".join(lines), _shown_example(example, command)])


def _shown_example(example: str, command: str) -> str:
    shown = textwrap.indent(example.strip().replace("COMMAND", command), "  ")
    return f"example (in a checkout):\n{shown}"


def format_help(function: FunctionType, example: str = "", mode: str = "") -> str:
    """Return the help of a command: at most 100 columns, options by group, and an example."""
    about, groups = read_help(function)
    command = typed(function, mode)
    needed = [option.shown for group in groups for option, _ in group.options if option.needed]
    # an option and its value stay on one line
    words = [f"usage: {command}", *(text.replace(" ", "\0") for text in needed), "[OPTION\0...]"]
    usage = textwrap.wrap(" ".join(words), _COLUMNS, subsequent_indent="  ", **_WHOLE_WORDS)
    parts = ["\n".join(usage).replace("\0", " ")]
    parts += [textwrap.fill(paragraph, _COLUMNS) for paragraph in about.split("\n\n")]
    parts += ["\n".join([f"{group.title}:", *_help_lines(group)]) for group in groups]
    if example:
        parts.append(_shown_example(example, command))
    return "\n\n".join(parts)


def _help_lines(group: Group) -> Iterator[str]:
    width = min(_WIDEST_NAME, max(len(option.shown) for option, _ in group.options))
    for option, text in group.options:
        default = default_text(option, text)
        choices = f"one of {', '.join(option.choices)}" if option.lists_choices else ""
        text = "; ".join(filter(None, (text, default and f"default {default}", choices)))
        yield from _entry(option.shown, text, width)


def _entry(name: str, text: str, width: int) -> Iterator[str]:
    """Yield lines with a name and a text next to it, or below it if the name exceeds `width`."""
    lines = textwrap.wrap(text, _COLUMNS - width - 4)
    if len(name) > width or not lines:
        yield f"  {name}"
    else:
        yield f"  {name:<{width}}  {lines.pop(0)}"
    yield from (" " * (width + 4) + line for line in lines)


def typed(function: FunctionType, mode: str = "") -> str:
    """Return how the user calls the command of a path function, or a mode of it."""
    from workflow_scripts.cli import COMMANDS, typed_command

    # of the module as it is imported, also where it runs as __main__
    module = function.__globals__["__spec__"].name
    name = module.removeprefix("workflow_scripts.")
    is_command = name in {command for command, _ in COMMANDS.values()}
    command = typed_command(name) if is_command else f"python -m {module}"
    return f"{command} {mode}".rstrip()
