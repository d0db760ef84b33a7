"""Labels of texts: each is spelt in one way throughout a set, and scores are those of a scale."""

import unicodedata
from pathlib import Path

from workflow_scripts.datasets.rows import require_visible
from workflow_scripts.datasets.scored_pairs import parse_gold
from workflow_scripts.errors import UserError
from workflow_scripts.files import parse_number

# what SentEval's regression learns shares of (`trained_predictions`)
SCALE = (1.0, 5.0)


class Labels:
    """The labels of a set as they are read: classes, or with `scale` scores within it."""

    def __init__(self, scale: tuple[float, float] | None = None) -> None:
        self._scale = scale
        self._first: dict[str, tuple[str, str]] = {}

    def read(self, text: str, path: Path, line: int) -> str:
        """Return a label without blanks around it, letters with marks composed (NFC).

        Raises `UserError` for a score that is off the scale, and for a label that differs from
        another of the set by its spelling alone (`1` and `1.0`, `True` and `true`).
        """
        label = unicodedata.normalize("NFC", text.strip())
        require_visible(label, "a label", path, line)
        if self._scale is not None:
            parse_gold(label, *self._scale, path, line)
            return label
        first, where = self._first.setdefault(_meaning(label), (label, f"{path}:{line}"))
        if first != label:
            what = f"label {label!r} here, {first!r} in {where}"
            raise UserError(f"{path}:{line}", what, "spell it one way")
        return label

    def place_of(self, label: str) -> str:
        """Return file and line of the first of a label that was read."""
        return self._first[_meaning(label)][1]


def _meaning(label: str) -> str:
    text = " ".join(unicodedata.normalize("NFKC", label).casefold().split())
    number = parse_number(text)
    return text if number is None else repr(number)
