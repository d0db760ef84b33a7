"""The commands: their names under the one command, and what the help of each has."""

import argparse
import re
import shlex
import shutil
import sys
import textwrap
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.files import STDIN, parse_number

COMMAND = "mirror-bert"
# by name: the module, and what it does
COMMANDS = {
    "tune": ("tune", "an encoder from a model and strings, by Mirror tuning"),
    "cmlm": ("cmlm", "an encoder from a model and running text, by CMLM"),
    "evaluate": ("evaluate", "score an encoder on data sets, beside another one"),
    "embed": ("embed", "vectors of the lines of a file"),
    "link": ("link", "link mentions to the names of an ontology"),
    "search": ("search", "nearest sentences, near-duplicates and translations in files"),
    "translate": ("translate", "a lexicon of two languages from a small dictionary"),
    "export": ("export_onnx", "ONNX files for an encoder, several times faster on a CPU"),
    "check": ("check_config", "check a config of the workflow"),
}
# int() would take 4_5 and digits of other scripts, and fails at 5,000
_WHOLE = re.compile(r"[+-]?[0-9]{1,99}")
_NAMES = {module: name for name, (module, _) in COMMANDS.items()}


def typed_command(module: str) -> str:
    """Return how the user calls a command: under the one command, or as a module."""
    program = Path(sys.argv[0])
    if program.stem == COMMAND:
        return f"{COMMAND} {_NAMES[module]}"
    if program.name == "__main__.py":
        return f"python -m workflow_scripts {_NAMES[module]}"
    return f"python -m workflow_scripts.{module}"


def check_files(option: str, *paths: str | Path | None, stdin: bool = False) -> None:
    """Raise `UserError` by `option` for a path that is given and no file.

    "-" is standard input where the option takes that.
    """
    for path in paths:
        if path is None or (stdin and str(path) == STDIN) or Path(path).is_file():
            continue
        if str(path) == STDIN:
            raise UserError(f"{option} -", "standard input is not taken here", "give a file")
        raise UserError(f"{option} {path}", "no such file", "check the path")


class _Manual(argparse.RawDescriptionHelpFormatter):
    """Help that begins with what a command cannot do without."""

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:
        names = [(action, action.metavar or action.dest.upper()) for action in actions]
        needed = [" ".join([*a.option_strings[:1], name]) for a, name in names if a.required]
        super().add_usage(" ".join(["%(prog)s", *needed, "[OPTION ...]"]), actions, groups, prefix)


def _number(text: str) -> float:
    if (number := parse_number(text)) is None:
        raise ValueError
    return number


def _whole_number(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValueError
    return int(text)


# as argparse calls them where a value is none
_number.__name__, _whole_number.__name__ = "float", "int"


class _DoorParser(argparse.ArgumentParser):
    """A parser that shows each word that it does not know, also one that is empty.

    Its numbers are plain decimal ones, as those of files are.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.register("type", int, _whole_number)
        self.register("type", float, _number)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        given, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {shlex.join(unknown)} (--help lists the known)")
        return given


def command_parser(module: str, manual: str | None, example: str) -> argparse.ArgumentParser:
    """Return the parser of a command, whose help has its docstring whole and an example.

    COMMAND in the example becomes what the user types.
    """
    command = typed_command(module)
    summary = (manual or "").removeprefix("Command: ").strip()
    width = min(shutil.get_terminal_size().columns, 100) - 2
    summary = summary[:1].upper() + summary[1:]
    shown = textwrap.indent(example.strip().replace("COMMAND", command), "  ")
    return _DoorParser(
        prog=command,
        description="\n\n".join(
            textwrap.fill(paragraph, width) for paragraph in summary.split("\n\n")
        ),
        epilog=f"example (in a checkout):\n{shown}",
        formatter_class=_Manual,
    )
