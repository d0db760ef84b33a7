"""Step `list_names`: the names of one file for all its shards, id<TAB>name a line."""

from pathlib import Path
from typing import Any

from workflow_scripts.command_main import run_command
from workflow_scripts.datasets.name_lists import Choices, read_names
from workflow_scripts.path_functions import command


def list_names(*, names: Path, choices_json: dict[str, Any], output: Path) -> None:
    """Write the names of one file for all its shards, id<TAB>name a line.

    Args:
        names: file of names, as `link` takes it
        choices_json: how it is read: the fields of Choices
        output: ids and names, tsv
    """
    name_list = read_names([names], Choices(**choices_json))
    name_list.write(output)
    print(f"{names}: {name_list.summary}")


main = command(list_names)

if __name__ == "__main__":
    run_command(main)
