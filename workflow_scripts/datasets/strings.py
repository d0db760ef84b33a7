"""Strings as every stage sees them: as their files have them, numbered by first occurrence."""

import re
from collections.abc import Hashable, Iterable, Iterator
from itertools import groupby
from typing import TypeVar

from workflow_scripts.configuration.blocks import Whitespace

Item = TypeVar("Item", bound=Hashable)
_LINE_ENDS = re.compile(r"[\r\n]+")


def normalise_whitespace(text: str) -> str:
    """Return `text` trimmed, whitespace made single spaces: one line for any reader."""
    return " ".join(text.split())


def on_one_line(text: str, whitespace: Whitespace = "kept") -> str:
    """Return `text` on one line: line ends (of quoted fields, of JSON) are a space."""
    return normalise_whitespace(text) if whitespace == "collapsed" else _LINE_ENDS.sub(" ", text)


def unique_in_order(items: Iterable[Item]) -> list[Item]:
    return list(dict.fromkeys(items))


def runs_of_lines(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the runs of lines that no blank line parts."""
    runs = groupby(lines, key=lambda line: bool(line.strip()))
    return (list(run) for is_text, run in runs if is_text)


class StringTable:
    """Unique strings; the id of a string is its number by first occurrence."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def id_of(self, text: str) -> int:
        """Return the id of `text` on one line, giving a new one if needed."""
        return self._ids.setdefault(on_one_line(text), len(self._ids))

    def ids_of(self, texts: Iterable[str]) -> list[int]:
        return [self.id_of(text) for text in texts]

    @property
    def strings(self) -> list[str]:
        return list(self._ids)
