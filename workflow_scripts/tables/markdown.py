"""Text and rows of tables in Markdown."""

import re
from collections.abc import Sequence


def one_line(text: str) -> str:
    """Return text with each run of white space as one blank."""
    return " ".join(text.split())


def markdown_text(text: str) -> str:
    """Return plain text on one line, with what Markdown would read as a mark escaped."""
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", one_line(text))


def markdown_row(fields: Sequence[str]) -> str:
    """Return a row of fields that are Markdown already."""
    return "| " + " | ".join(fields) + " |"
