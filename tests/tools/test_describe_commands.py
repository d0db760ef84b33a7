"""The reference of the commands, made from their command lines."""

import argparse
import re

import pytest

from tools.describe_commands import _section, describe, parser_of
from workflow_scripts.cli import COMMANDS


def test_the_page_is_what_the_command_lines_say(project):
    page = (project / "docs" / "commands.md").read_text()
    assert page == describe(), "make docs"


def test_every_command_is_there(project):
    packages = (project / "workflow_scripts").glob("[a-z]*.py")
    commands = {
        file.stem for file in packages if re.search(r"^def main\(", file.read_text(), flags=re.M)
    }
    assert commands == {module for module, _ in COMMANDS.values()}


def test_nothing_of_this_machine_is_in_it(project):
    page = describe()
    assert str(project) not in page
    assert "default: OMP_NUM_THREADS, else all processors" in page
    assert not re.search(r"`--threads`.*default `\d", page)


def test_needed_values_defaults_and_subcommands():
    parser = argparse.ArgumentParser(description="Do it.\n\nLong\nstory.")
    parser.add_argument("file")
    parser.add_argument("--a", "-a", required=True, metavar="X|Y", help="one|two")
    parser.add_argument("--b", type=int, default=3, help="how many")
    parser.add_argument("--c", action="store_true", help="whether")
    below = parser.add_subparsers().add_parser("inner", help="inside")
    below.add_argument("--d", nargs="+", choices=("x", "y"), help="%(default)s by default")
    assert _section("do", parser, "##") == (
        "## do\n\nDo it.\n\nLong story.\n\n"
        "| option | value | what it is |\n| --- | --- | --- |\n"
        "| `file` | `FILE` |  |\n"
        "| `--a`, `-a` | `X\\|Y` | needed; one\\|two |\n"
        "| `--b` | `B` | how many; default `3` |\n"
        "| `--c` |  | whether |\n\n"
        "### do inner\n\ninside\n\n"
        "| option | value | what it is |\n| --- | --- | --- |\n"
        "| `--d` | `x`, `y` | None by default |\n"
    )


def test_a_module_without_a_command_line_is_no_command():
    with pytest.raises(AttributeError, match="main"):
        parser_of("errors")
