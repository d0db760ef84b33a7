"""The texts of the pages that people write, the code blocks in them, and their commands."""

import re
from pathlib import Path

from tools import doc_pages


def written_pages(project: Path) -> dict[str, str]:
    """Return the text of each page that is written by hand, by its path in the project."""
    pages = doc_pages.written_pages(project)
    return {page.relative_to(project).as_posix(): page.read_text("utf-8") for page in pages}


def blocks_of(text: str) -> list[tuple[str, str]]:
    """Return (kind, text) of the fenced blocks; `sh` is run by a test, `shell` needs more."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.M | re.S)


def commands_of(block: str) -> list[str]:
    """Return the commands of a block, each on one line; a loop is one command."""
    lines, whole = block.replace("\\\n", "").splitlines(), []
    for line in lines:
        inside = whole and whole[-1].startswith("for ") and not whole[-1].endswith("\ndone")
        if inside:
            whole[-1] += f"\n{line}"
        else:
            whole.append(line)
    return whole
