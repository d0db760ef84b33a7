"""The pages that people write, and the code blocks in them."""

import re
from pathlib import Path

# made by `make docs`, `make bench` and `make rehearse-gpu`
GENERATED = ("reference/api", "reference/commands", "reference/config", "reference/data-sets")
GENERATED += ("reference/gpu-rehearsal",)
ROOT_PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "config/README.md")
ROOT_PAGES += ("envs/README.md", "bundled_models/README.md")


def written_pages(project: Path) -> dict[str, str]:
    """Return the text of each page that is written by hand, by its path in the project."""
    docs = project / "docs"
    copied = {docs / "example-run" / folder for folder in ("tables", "figures")}
    made = {docs / f"{name}.md" for name in GENERATED}
    files = [file for file in sorted(docs.rglob("*.md")) if file.parent not in copied]
    paths = [project / name for name in ROOT_PAGES] + [file for file in files if file not in made]
    return {path.relative_to(project).as_posix(): path.read_text("utf-8") for path in paths}


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
