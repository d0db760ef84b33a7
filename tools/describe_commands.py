"""The reference of the commands, from their path functions."""

import importlib
import re
from types import FunctionType

from tools.doc_pages import markdown_table
from workflow_scripts.cli import COMMAND, COMMANDS
from workflow_scripts.command_line import default_text, read_help


def describe() -> str:
    """Return the generated part of the page."""
    sections = []
    for name, (module, _) in COMMANDS.items():
        main = importlib.import_module(f"workflow_scripts.{module}").main
        typed = f"{COMMAND} {name}"
        if modes := getattr(main, "modes", None):
            sections.append(f"## {typed}\n\n{_text(main.about)}\n")
            sections += [
                section_of(f"{typed} {mode}", function, "###") for mode, function in modes.items()
            ]
        else:
            sections.append(section_of(typed, main.path_function))
    return "\n".join(sections)


def section_of(name: str, function: FunctionType, heading: str = "##") -> str:
    """Return the section of a command that is made of a path function."""
    about, groups = read_help(function)
    rows = []
    for option, text in (row for group in groups for row in group.options):
        default = default_text(option, text)
        before = "required" if option.needed and not option.is_word else ""
        after = f"default `{default}`" if default else ""
        what = "; ".join(filter(None, (before, text, after)))
        value = ", ".join(f"`{choice}`" for choice in option.choices)
        value = value or (f"`{option.value_name}`" if option.value_name else "")
        rows.append((f"`{option.name}`", value, what))
    table = markdown_table(["option", "value", "what it is"], rows)
    return "\n\n".join([f"{heading} {name}", _text(about), "\n".join(table)]) + "\n"


def _text(text: str) -> str:
    """Return a text with each of its paragraphs on a line."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(one.split()) for one in paragraphs)
