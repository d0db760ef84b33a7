"""The pages of the documentation, places in their text, and tables."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

# made by `make docs`, `make bench` and `make rehearse-gpu`
GENERATED = ("api", "commands", "config", "data-sets", "gpu-rehearsal")
ROOT_PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "config/README.md")
ROOT_PAGES += ("envs/README.md", "bundled_models/README.md")


def docs_pages(root: Path) -> list[Path]:
    """Return the pages of docs/, without the tables and figures of the example run."""
    docs = root / "docs"
    copied = {docs / "example-run" / folder for folder in ("tables", "figures")}
    return [page for page in sorted(docs.rglob("*.md")) if page.parent not in copied]


def written_pages(root: Path) -> list[Path]:
    """Return the pages that people write, those outside docs/ first."""
    made = {root / "docs" / "reference" / f"{name}.md" for name in GENERATED}
    return [
        *(root / name for name in ROOT_PAGES),
        *(page for page in docs_pages(root) if page not in made),
    ]


def blanked(pattern: re.Pattern[str], text: str) -> str:
    """Return the text with spaces where the pattern matches, so that places stay."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def markdown_table(
    heads: Sequence[str], rows: Iterable[Iterable[object]], numbers: int = 0
) -> list[str]:
    """Return the lines of a table in Markdown; its last `numbers` columns are set to the right."""
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    rule = ["---"] * (len(heads) - numbers) + ["--:"] * numbers
    return [f"| {' | '.join(line)} |".replace("|  |", "| |") for line in [heads, rule, *cells]]


def line_of(text: str, position: int) -> int:
    """Return the number of the line of a position, from 1."""
    return text.count("\n", 0, position) + 1
