"""The strings of a corpus: a text file with one raw string, or one pair of them, a line."""

from dataclasses import dataclass
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, sha256_of

# Between the two strings of a line of a corpus of pairs, as in the authors' released code.
PAIR_SEPARATOR = "||"


@dataclass(frozen=True)
class Corpus:
    """The strings to tune on and what became of the others.

    Of a corpus of pairs, `strings` are the first halves and `partners` the second ones, in the
    same order; otherwise `partners` is None.
    """

    path: Path
    sha256: str
    strings: list[str]
    lines: int
    empty: int
    duplicates_removed: int
    partners: list[str] | None = None

    def as_record(self) -> dict[str, str | int]:
        """Return name, hash and counts for encoder.json, which holds no paths of the machine.

        `pairs` is there, and true, for a corpus of pairs only.
        """
        record = {
            "name": self.path.name,
            "sha256": self.sha256,
            "lines": self.lines,
            "empty_lines": self.empty,
            "duplicates_removed": self.duplicates_removed,
            "strings": len(self.strings),
        }
        return record if self.partners is None else {**record, "pairs": True}


def read_corpus(path: str | Path, deduplicate: bool = False, pairs: bool = False) -> Corpus:
    """Read a corpus: outer white space stripped, empty lines left out, order kept.

    With `pairs`, a line is `text1||text2`, for supervised tuning. `deduplicate` keeps the first of
    equal strings, or of equal pairs. Raises `UserError` for a missing file, one that is not UTF-8
    or a line that is no pair (with the line), and a file without any string.
    """
    lines = read_lines(path)
    numbered = [(number, text) for number, line in enumerate(lines, 1) if (text := line.strip())]
    if not numbered:
        what = f"pair text1{PAIR_SEPARATOR}text2" if pairs else "string"
        raise UserError(f"{path}: no strings in it; give a text file with one {what} a line")
    if pairs:
        found = [_split_pair(text, f"{path}:{number}") for number, text in numbered]
    else:
        found = [text for _, text in numbered]
    kept = list(dict.fromkeys(found)) if deduplicate else found
    return Corpus(
        path=Path(path),
        sha256=sha256_of(path),
        strings=[first for first, _ in kept] if pairs else kept,
        lines=len(lines),
        empty=len(lines) - len(found),
        duplicates_removed=len(found) - len(kept),
        partners=[second for _, second in kept] if pairs else None,
    )


def _split_pair(text: str, where: str) -> tuple[str, str]:
    halves = tuple(half.strip() for half in text.split(PAIR_SEPARATOR))
    if len(halves) != 2 or not all(halves):
        raise UserError(
            f"{where}: expected a pair text1{PAIR_SEPARATOR}text2, found {text[:60]!r}; mend or "
            "remove the line, or set the recipe key positives: itself"
        )
    return halves


def check_batch_size(corpus: Corpus, batch_size: int, recipe_name: str) -> None:
    """Raise `UserError` if the corpus does not fill one batch."""
    count = len(corpus.strings)
    if count < batch_size:
        raise UserError(
            f"{corpus.path}: {count} strings, fewer than one batch of {batch_size}; add strings "
            f"or lower recipes.{recipe_name}.batch_size to {max(count, 2)} or less"
        )
