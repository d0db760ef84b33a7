"""The command `mirror-bert`: all commands by name. `python -m workflow_scripts` is the same."""

import importlib
import sys
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from workflow_scripts.cli import COMMAND, COMMANDS
from workflow_scripts.command_main import run_command
from workflow_scripts.errors import UserError, nearest_name


def manual() -> str:
    """Return the help of the command itself."""
    width = max(map(len, COMMANDS))
    commands = [f"  {name:<{width}}  {what}" for name, (_, what) in COMMANDS.items()]
    return "\n".join(
        [
            f"usage: {COMMAND} COMMAND [OPTION ...]",
            "",
            "Encoders of words, phrases or sentences from masked language models, without labels.",
            "",
            "commands:",
            *commands,
            "",
            f"`{COMMAND} COMMAND --help` lists the options of one, with an example, and",
            f"`{COMMAND} --version` prints the version. Tables and figures of the papers are made",
            "by `snakemake --cores N all_tables` in a checkout.",
        ]
    )


def _version() -> str:
    try:
        return version(COMMAND)
    except PackageNotFoundError:
        return "of a checkout that is not installed"


def run(argv: list[str]) -> None:
    """Run the command that the first word names."""
    if not argv or argv[0] in ("-h", "--help"):
        print(manual(), file=sys.stdout if argv else sys.stderr)
        raise SystemExit(0 if argv else 2)
    if argv[0] == "--version":
        print(f"{COMMAND} {_version()}")
        return
    name, *rest = argv
    if name not in COMMANDS:
        raise UserError(f"{COMMAND} {name}", "no such command", nearest_name(name, COMMANDS))
    # only now: no command waits for what the others import
    importlib.import_module(f"workflow_scripts.{COMMANDS[name][0]}").main(rest)


def main() -> None:
    run_command(partial(run, sys.argv[1:]))


if __name__ == "__main__":
    main()
