"""Write the parts of docs/reference that are made from code: `make docs`.

On each page that part follows a mark; the text before it is written by hand. A test compares the
pages with what this module would write.
"""

from pathlib import Path

from tools import describe_api, describe_commands, describe_config, describe_data
from workflow_scripts.files import read_text, write_text

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
MADE = "<!-- What follows is made by `make docs`. -->\n\n"
PAGES = {
    "api.md": describe_api.describe,
    "commands.md": describe_commands.describe,
    "config.md": describe_config.describe,
    "data-sets.md": describe_data.describe,
}


def remade(name: str) -> str:
    """Return a page with its generated part made again."""
    return read_text(FOLDER / name).partition(MADE)[0] + MADE + PAGES[name]()


if __name__ == "__main__":
    for name in PAGES:
        write_text(FOLDER / name, remade(name))
