"""Write the reference of the commands from the parsers of their command lines.

`make docs` writes docs/commands.md; a test compares that file with what it would write.
"""

import argparse
import importlib
import re
from types import FunctionType
from unittest import mock

from tools.describe_config import write_page
from workflow_scripts.cli import COMMAND, COMMANDS
from workflow_scripts.command_line import default_text, read_help

HEAD = """# Every command and its options

Made by `make docs` from the command lines themselves (`--help` of each says the same, with an
example). `python -m workflow_scripts.tune` and so on are the same. [tuning.md](tuning.md),
[cmlm.md](cmlm.md), [embedding.md](embedding.md) and [use.md](use.md) describe what they are for.
Targets of the workflow are listed by `snakemake --list-target-rules`.
"""


class _Built(Exception):
    """Carries the parser of a command that was about to read its command line."""


def parser_of(module: str) -> argparse.ArgumentParser:
    """Return the parser that a command makes."""

    def stop(parser: argparse.ArgumentParser, *_: object) -> None:
        raise _Built(parser)

    main = importlib.import_module(f"workflow_scripts.{module}").main
    try:
        with mock.patch.object(argparse.ArgumentParser, "parse_known_args", stop):
            main([])
    except _Built as built:
        return built.args[0]
    raise AssertionError(f"workflow_scripts.{module} reads no command line")


def describe() -> str:
    """Return the page."""
    sections = []
    for name, (module, _) in COMMANDS.items():
        main = importlib.import_module(f"workflow_scripts.{module}").main
        typed = f"{COMMAND} {name}"
        if modes := getattr(main, "modes", None):
            sections.append(f"## {typed}\n\n{_text(main.about)}\n")
            sections += [
                section_of(f"{typed} {mode}", function, "###") for mode, function in modes.items()
            ]
        elif (function := getattr(main, "path_function", None)) is not None:
            sections.append(section_of(typed, function))
        else:
            sections.append(_section(typed, parser_of(module)))
    return "\n".join([HEAD, *sections])


def section_of(name: str, function: FunctionType, heading: str = "##") -> str:
    """Return the section of a command that is made of a path function."""
    about, groups = read_help(function)
    rows = []
    for option, text in (row for group in groups for row in group.options):
        default = default_text(option, text)
        before = "needed" if option.needed and not option.is_word else ""
        after = f"default `{default}`" if default else ""
        what = "; ".join(filter(None, (before, text, after)))
        value = ", ".join(f"`{choice}`" for choice in option.choices)
        value = value or (f"`{option.value_name}`" if option.value_name else "")
        rows.append(f"| `{option.name}` | {_cell(value)} | {_cell(what)} |")
    table = ["| option | value | what it is |", "| --- | --- | --- |", *rows]
    return "\n\n".join([f"{heading} {name}", _text(about), "\n".join(table)]) + "\n"


def _section(name: str, parser: argparse.ArgumentParser) -> str:
    parts = [f"## {name}", _text(parser.description or "")]
    own = [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]
    if own:
        rows = [_row(action, parser) for action in own]
        parts.append("\n".join(["| option | value | what it is |", "| --- | --- | --- |", *rows]))
    return "\n\n".join(parts) + "\n"


def _row(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    names = ", ".join(f"`{one}`" for one in action.option_strings) or f"`{action.dest}`"
    told = _text(parser._get_formatter()._expand_help(action)) if action.help else ""
    before = ["needed"] if action.required and action.option_strings else []
    # paths and numbers of processors are this machine's
    plain = type(action.default) in (str, int) and action.dest != "threads"
    after = [f"default `{action.default}`"] if plain and "default" not in told else []
    what = "; ".join(one for one in (*before, told, *after) if one)
    return f"| {names} | {_value(action)} | {_cell(what)} |"


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    if action.choices is not None:
        return ", ".join(f"`{one}`" for one in action.choices)
    name = action.metavar or action.dest.upper()
    shown = " ".join(name) if isinstance(name, tuple) else name
    several = " ..." if action.nargs in ("+", "*") else ""
    return _cell(f"`{shown}{several}`")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _text(text: str) -> str:
    """Return a text with each of its paragraphs on a line."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(one.split()) for one in paragraphs)


if __name__ == "__main__":
    write_page(describe(), __doc__)
