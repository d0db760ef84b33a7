"""The strings of a corpus: a text file with one raw string, or one pair of them, a line."""

from dataclasses import dataclass
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, sha256_of

# Between the two strings of a line of a corpus of pairs, as in the authors' released code.
PAIR_SEPARATOR = "||"


@dataclass(frozen=True)
class Corpus:
    """Strings to tune on (`partners` are the second halves of pairs) and counts of their file."""

    strings: list[str]
    partners: list[str] | None = None
    path: Path = Path()
    sha256: str = ""
    lines: int = 0
    empty: int = 0
    duplicates_removed: int = 0

    def as_record(self) -> dict[str, str | int]:
        """Return name, hash and counts for encoder.json; `pairs` is true or not there."""
        counts = {"lines": self.lines, "empty_lines": self.empty, "strings": len(self.strings)}
        counts["duplicates_removed"] = self.duplicates_removed
        pairs = {} if self.partners is None else {"pairs": True}
        return {"name": self.path.name, "sha256": self.sha256, **counts, **pairs}


def read_corpus(path: str | Path, deduplicate: bool = False, pairs: bool = False) -> Corpus:
    """Read a corpus: lines as they are but for blank ones, which are left out; order kept.

    With `pairs`, a line is `text1||text2`. `deduplicate` keeps the first of equal strings or pairs.
    Raises `UserError` for a file that is no such corpus (with the line).
    """
    lines = read_lines(path)
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        what = f"pair text1{PAIR_SEPARATOR}text2" if pairs else "string"
        raise UserError(f"{path}: no strings in it; give a text file with one {what} a line")
    # a pair, or a string alone
    found = [_split(text, pairs, f"{path}:{number}") for number, text in numbered]
    kept = list(dict.fromkeys(found)) if deduplicate else found
    strings = [halves[0] for halves in kept]
    partners = [halves[1] for halves in kept] if pairs else None
    counts = (len(lines), len(lines) - len(found), len(found) - len(kept))
    return Corpus(strings, partners, Path(path), sha256_of(path), *counts)


def _split(text: str, pairs: bool, where: str) -> tuple[str, ...]:
    if not pairs:
        return (text,)
    halves = tuple(text.split(PAIR_SEPARATOR))
    if len(halves) != 2 or not all(half.strip() for half in halves):
        raise UserError(
            f"{where}: expected a pair text1{PAIR_SEPARATOR}text2, found {text[:60]!r}; mend or "
            "remove the line, or set the recipe key positives: itself"
        )
    return halves


def check_batch_size(corpus: Corpus, batch_size: int, recipe_name: str) -> None:
    """Raise `UserError` if the corpus does not fill one batch."""
    count = len(corpus.strings)
    if count < batch_size:
        remedy = f"add strings or lower recipes.{recipe_name}.batch_size to {max(count, 2)} or less"
        where = f"{corpus.path}: {count} strings"
        raise UserError(f"{where}, fewer than one batch of {batch_size}; {remedy}")
