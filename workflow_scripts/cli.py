"""The commands: their names under the one command."""

import sys
from pathlib import Path

COMMAND = "mirror-bert"
# by name: the module, and what it does
COMMANDS = {
    "tune": ("tune", "make an encoder from a model and strings, by Mirror tuning"),
    "cmlm": ("cmlm", "make an encoder from a model and running text, by CMLM"),
    "evaluate": ("evaluate", "score an encoder on data sets, alone or against another one"),
    "embed": ("embed", "embed the lines of a file"),
    "link": ("link", "link mentions to the names of an ontology"),
    "search": ("search", "find nearest sentences, near-duplicates and translations in files"),
    "translate": ("translate", "translate words, learning from a small dictionary"),
    "export": ("export_onnx", "add ONNX files to an encoder, several times faster on a CPU"),
    "reduce": ("reduce", "make an encoder with fewer dimensions, by a PCA"),
    "push": ("push", "upload an encoder to the Hugging Face hub"),
    "recipes": ("list_recipes", "list the recipes, or explain one"),
    "init": ("make_folder", "make a folder of your own for the workflow, with a commented config"),
    "check": ("check_config", "check a config of the workflow"),
}
_NAMES = {module: name for name, (module, _) in COMMANDS.items()}


def typed_command(module: str) -> str:
    """Return how the user calls a command: under the one command, or as a module."""
    program = Path(sys.argv[0])
    if program.stem == COMMAND:
        return f"{COMMAND} {_NAMES[module]}"
    if program.name == "__main__.py":
        return f"python -m workflow_scripts {_NAMES[module]}"
    return f"python -m workflow_scripts.{module}"
