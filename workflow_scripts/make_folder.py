"""Command: make a folder of your own for the workflow, with a commented config."""

import shlex
from pathlib import Path
from typing import Literal

from workflow_scripts.command_main import run_command
from workflow_scripts.configuration.layers import CONFIG
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.path_functions import command
from workflow_scripts.project_files import PROJECT

EXAMPLE = """
COMMAND my-model study
"""
_CONFIG = "config.yaml"
# stands in the shipped configs for the workflow's file
_SNAKEFILE = "SNAKEFILE"
# what a dry run of a config needs, to be replaced
_PAIRS = (
    ("text1", "text2", "score"),
    ("A man plays the guitar.", "Someone makes music.", "3.5"),
    ("A man plays the guitar.", "The soup is too hot.", "0"),
    ("The train is late.", "The train has a delay.", "4.8"),
    ("The train is late.", "We missed the bus.", "1.5"),
    ("She bought a house.", "She purchased a home.", "5"),
)
_DATA = {
    "my-model": {},
    "my-strings": {"data/my-strings.txt": "".join(f"{first}\n" for first, _, _ in _PAIRS[1::2])},
    "my-data-set": {"data/my-pairs.tsv": "".join("\t".join(pair) + "\n" for pair in _PAIRS)},
}


def make_folder(what: Literal["my-model", "my-strings", "my-data-set"], folder: Path, /) -> None:
    """Make a folder of your own for the workflow, with a commented config.

    Models, data and hyper-parameters are those of the papers, for models of the usual size.

    Args:
        what: my-model compares a model with BERT in Table 3; my-strings tunes on a file of strings;
            my-data-set scores encoders on your own pairs
        folder: folder to create; existing files in it stay
    """
    snakefile = PROJECT / "Snakefile"
    shown = shlex.quote(str(snakefile)) if snakefile.is_file() else "CLONE/Snakefile"
    config = (CONFIG / "own" / f"{what}.yaml").read_text(encoding="utf-8")
    files = {_CONFIG: config.replace(_SNAKEFILE, shown), **_DATA[what]}
    for name in files:
        if (folder / name).exists():
            raise UserError(folder / name, "already exists", "give another folder")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_text(folder / name, text)
    # the commands as the head of the config has them
    commands = [
        line.removeprefix("#   ") for line in files[_CONFIG].splitlines() if line[:4] == "#   "
    ]
    print(f"{folder}: made {', '.join(files)}. Edit {_CONFIG}, then:")
    print(*(f"  {line}" for line in (f"cd {shlex.quote(str(folder))}", *commands)), sep="\n")


main = command(make_folder, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
