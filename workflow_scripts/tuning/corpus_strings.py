"""The strings of a corpus: a text file with one raw string, or one pair of them, a line.

A pair may have a label, as premise and hypothesis do.
"""

from dataclasses import dataclass
from pathlib import Path

from workflow_scripts.corpora.pair_lines import LABELS, PAIR_SEPARATOR
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, sha256_of

_PARTS = ("text1", "text2", "label")


@dataclass(frozen=True)
class Corpus:
    """Strings to tune on (`partners` are the second halves of pairs) and counts of their file."""

    strings: list[str]
    partners: list[str] | None = None
    labels: list[str] | None = None
    path: Path = Path()
    sha256: str = ""
    lines: int = 0
    empty: int = 0
    duplicates_removed: int = 0

    def as_record(self) -> dict[str, str | int]:
        """Return name, hash, counts for encoder.json; `pairs`, `labels` are true or not there."""
        counts = {"lines": self.lines, "empty_lines": self.empty, "strings": len(self.strings)}
        counts["duplicates_removed"] = self.duplicates_removed
        more = {"pairs": self.partners, "labels": self.labels}
        given = {key: True for key, column in more.items() if column is not None}
        return {"name": self.path.name, "sha256": self.sha256, **counts, **given}


def read_corpus(path: str | Path, deduplicate: bool = False, parts: int = 1) -> Corpus:
    """Read a corpus: lines as they are but for blank ones, which are left out; order kept.

    A line is a string or, of two or three `parts`, `text1||text2` or `text1||text2||label`.
    `deduplicate` keeps the first of equal strings or pairs. Raises `UserError` for a file that is
    no such corpus (with the line).
    """
    lines = read_lines(path)
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        what = "string" if parts == 1 else _form(parts)
        raise UserError(
            path, "it contains no strings", f"give a text file with one {what} per line"
        )
    rows = [_split(line, parts, f"{path}:{number}") for number, line in numbered]
    kept = list(dict.fromkeys(rows)) if deduplicate else rows
    strings, *others = map(list, zip(*kept, strict=True))
    partners, labels = [*others, None, None][:2]
    counts = (len(lines), len(lines) - len(rows), len(rows) - len(kept))
    return Corpus(strings, partners, labels, Path(path), sha256_of(path), *counts)


def _form(parts: int) -> str:
    return f"pair {PAIR_SEPARATOR.join(_PARTS[:parts])}"


def _split(text: str, count: int, where: str) -> tuple[str, ...]:
    """Return the parts of a line; one part is the line itself, whatever is in it."""
    if count == 1:
        return (text,)
    parts = tuple(text.split(PAIR_SEPARATOR))
    if len(parts) != count or not all(part.strip() for part in parts):
        remedy = "" if count == 3 else ", or (method mirror) set positives: itself"
        problem = f"expected a {_form(count)}, found {text[:60]!r}"
        raise UserError(where, problem, f"fix or remove the line{remedy}")
    if count == 3 and parts[2] not in LABELS:
        known = f"expected a label among {', '.join(LABELS)}"
        raise UserError(where, f"{known}, found {parts[2]!r}", "fix or remove the line")
    return parts


def check_batch_size(corpus: Corpus, batch_size: int, recipe_name: str) -> None:
    """Raise `UserError` if the corpus does not fill one batch."""
    count, of_recipe = len(corpus.strings), f" of recipe {recipe_name}"
    require_batch(corpus.path, count, "strings", batch_size, of_recipe)


def require_batch(path: Path, count: int, what: str, batch_size: int, of_recipe: str = "") -> None:
    """Raise `UserError` if the `count` units of a corpus do not fill one batch."""
    if count < batch_size:
        most = max(count, 2)
        problem = f"{count} {what}, fewer than one batch of {batch_size}"
        remedy = f"add text, or lower batch_size{of_recipe} to {most} or less"
        raise UserError(path, problem, f"{remedy} (in a command `--set batch_size={most}`)")
