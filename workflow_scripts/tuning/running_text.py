"""Running text: a file of sentences, one a line, with a blank line between documents."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workflow_scripts.datasets.strings import runs_of_lines
from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of, stream_lines


@dataclass(frozen=True)
class Documents:
    """The documents of a file that have two sentences or more, read again by each that asks.

    So memory holds one at a time, of files of any size.
    """

    path: Path

    def __iter__(self) -> Iterator[Sequence[str]]:
        return _documents_of(stream_lines(self.path))


def _documents_of(lines: Iterable[str]) -> Iterator[Sequence[str]]:
    return (run for run in runs_of_lines(lines) if len(run) > 1)


@dataclass(frozen=True)
class RunningText:
    """Documents of two sentences or more, which are neighbours, and counts of their file."""

    documents: Iterable[Sequence[str]]
    path: Path = Path()
    sha256: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)

    def as_record(self) -> dict[str, str | int]:
        """Return name, hash and counts for encoder.json; `strings` are the sentences."""
        return {"name": self.path.name, "sha256": self.sha256, **self.counts}


def require_boundaries(path: str | Path, of_one: str) -> None:
    """Raise `UserError` for a file without a blank line; `of_one`: where it is one document."""
    count = 0
    for count, line in enumerate(stream_lines(path), start=1):  # noqa: B007
        if not line.strip():
            return
    if count > 1:
        problem = f"{count} lines without a blank line, so the ends of documents are unknown"
        raise UserError(path, problem, f"put a blank line between them{of_one}")


def read_running_text(path: str | Path) -> RunningText:
    """Return the documents of a file, lines as they are; those of one sentence are left out.

    Raises `UserError` for an empty file, one without blank lines, and one without neighbours.
    """
    require_boundaries(path, " (behind the last line if it is a single one)")
    counts = {"lines": 0, "strings": 0, "documents": 0}

    def counted_lines() -> Iterator[str]:
        for line in stream_lines(path):
            counts["lines"] += 1
            yield line

    for document in _documents_of(counted_lines()):
        counts["strings"] += len(document)
        counts["documents"] += 1
    if not counts["documents"]:
        has_text = any(line.strip() for line in stream_lines(path))
        lacks = "no document has two neighbouring sentences" if has_text else "no sentences in it"
        remedy = "give a text file with a sentence a line and a blank line between documents"
        raise UserError(path, lacks, remedy)
    return RunningText(Documents(Path(path)), Path(path), sha256_of(path), counts)
