"""The reference of the commands, made from their command lines."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tools.describe_commands import section_of
from workflow_scripts.cli import COMMANDS


def test_every_command_is_there(project):
    packages = (project / "workflow_scripts").glob("[a-z]*.py")
    commands = {
        file.stem
        for file in packages
        if re.search(r"^(def main\(|main = )", file.read_text(), re.M)
    }
    assert commands == {module for module, _ in COMMANDS.values()}


def test_nothing_of_this_machine_is_in_the_page(project):
    page = (project / "docs/reference/commands.md").read_text()
    assert str(project) not in page
    assert "default: OMP_NUM_THREADS, else all processors" in page
    assert not re.search(r"`--threads`.*default `\d", page)


def test_needed_values_defaults_and_groups_of_a_path_function():
    @dataclass
    class OtherOptions:
        """Others.

        Args:
            several: a|b
        """

        several: Sequence[str] = ("default",)

    def do(
        file: Path, /, *, other: OtherOptions, a: float = 0.5, b: Literal["x", "y"], c: bool = False
    ):
        """Do it.

        Long
        story.

        Args:
            file: what
            a: how much
            c: whether
        """

    assert section_of("do", do, "###") == (
        "### do\n\nDo it.\n\nLong story.\n\n"
        "| option | value | what it is |\n| --- | --- | --- |\n"
        "| `FILE` | `PATH` | what |\n"
        "| `--b` | `x`, `y` | required |\n"
        "| `--a` | `NUMBER` | how much; default `0.5` |\n"
        "| `--c` | | whether |\n"
        "| `--several` | `TEXT ...` | a\\|b |\n"
    )
