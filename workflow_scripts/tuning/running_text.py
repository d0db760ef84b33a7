"""Running text: a file of sentences, one a line, with a blank line between documents."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from workflow_scripts.datasets.strings import runs_of_lines
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, sha256_of


@dataclass(frozen=True)
class RunningText:
    """Documents of two sentences or more, which are neighbours, and counts of their file."""

    documents: list[list[str]]
    path: Path = Path()
    sha256: str = ""
    lines: int = 0

    def as_record(self) -> dict[str, str | int]:
        """Return name, hash and counts for encoder.json; `strings` are the sentences."""
        counts = {"lines": self.lines, "strings": sum(map(len, self.documents))}
        counts["documents"] = len(self.documents)
        return {"name": self.path.name, "sha256": self.sha256, **counts}


def require_boundaries(path: str | Path, lines: Iterable[str], of_one: str) -> None:
    """Raise `UserError` for lines without a blank one; `of_one`: where they are one document."""
    filled = [bool(line.strip()) for line in lines]
    if len(filled) > 1 and all(filled):
        problem = f"{len(filled)} lines and no blank one, so documents have no ends"
        raise UserError(path, problem, f"put a blank line between them{of_one}")


def read_running_text(path: str | Path) -> RunningText:
    """Read the documents of a file, lines as they are; those of one sentence are left out.

    Raises `UserError` for an empty file, one without blank lines, and one without neighbours.
    """
    lines = read_lines(path)
    runs = list(runs_of_lines(lines))
    documents = [run for run in runs if len(run) > 1]
    form = "a sentence a line and a blank line between documents"
    if not runs:
        raise UserError(path, "no sentences in it", f"give a text file with {form}")
    require_boundaries(path, lines, " (behind the last line if it is a single one)")
    if not documents:
        what = "no two sentences are neighbours in a document"
        raise UserError(path, what, f"give a text file with {form}")
    return RunningText(documents, Path(path), sha256_of(path), len(lines))
