"""The strings of a corpus: a text file with one raw string a line."""

from dataclasses import dataclass
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, sha256_of


@dataclass(frozen=True)
class Corpus:
    """The strings to tune on and what became of the others."""

    path: Path
    sha256: str
    strings: list[str]
    lines: int
    empty: int
    duplicates_removed: int

    def as_record(self) -> dict[str, str | int]:
        """Return name, hash and counts for encoder.json, which holds no paths of the machine."""
        return {
            "name": self.path.name,
            "sha256": self.sha256,
            "lines": self.lines,
            "empty_lines": self.empty,
            "duplicates_removed": self.duplicates_removed,
            "strings": len(self.strings),
        }


def read_corpus(path: str | Path, deduplicate: bool = False) -> Corpus:
    """Read a corpus: outer white space stripped, empty lines left out, order kept.

    `deduplicate` keeps the first of equal strings. Raises `UserError` for a missing file, one that
    is not UTF-8 (with the line), and one without any string.
    """
    lines = read_lines(path)
    stripped = [text for line in lines if (text := line.strip())]
    if not stripped:
        raise UserError(f"{path}: no strings in it; give a text file with one string a line")
    strings = list(dict.fromkeys(stripped)) if deduplicate else stripped
    return Corpus(
        path=Path(path),
        sha256=sha256_of(path),
        strings=strings,
        lines=len(lines),
        empty=len(lines) - len(stripped),
        duplicates_removed=len(stripped) - len(strings),
    )


def check_batch_size(corpus: Corpus, batch_size: int, recipe_name: str) -> None:
    """Raise `UserError` if the corpus does not fill one batch."""
    count = len(corpus.strings)
    if count < batch_size:
        raise UserError(
            f"{corpus.path}: {count} strings, fewer than one batch of {batch_size}; add strings "
            f"or lower recipes.{recipe_name}.batch_size to {max(count, 2)} or less"
        )
