"""Write the references of docs/reference that are made from code: `make docs`.

A test compares the pages with what this would write.
"""

from pathlib import Path

from tools import describe_api, describe_commands, describe_config, describe_data
from workflow_scripts.files import write_text

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
PAGES = {
    "api.md": describe_api.describe,
    "commands.md": describe_commands.describe,
    "config.md": describe_config.describe,
    "data-sets.md": describe_data.describe,
}


if __name__ == "__main__":
    for name, describe in PAGES.items():
        write_text(FOLDER / name, describe())
