"""Strings as every stage sees them: on one line, single spaces, numbered by first occurrence."""

from collections.abc import Iterable


def normalise_whitespace(text: str) -> str:
    """Return `text` trimmed, whitespace made single spaces: one line for any reader."""
    return " ".join(text.split())


def unique_in_order(strings: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(strings))


class StringTable:
    """The unique strings of a suite; the id of a string is the row of its vector."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def id_of(self, text: str) -> int:
        """Return the id of `text` after whitespace is normalised, giving a new one if needed."""
        return self._ids.setdefault(normalise_whitespace(text), len(self._ids))

    def ids_of(self, texts: Iterable[str]) -> list[int]:
        return [self.id_of(text) for text in texts]

    @property
    def strings(self) -> list[str]:
        return list(self._ids)
