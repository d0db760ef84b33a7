"""What a reader returns: scored or labelled pairs, mentions to link, a lexicon, strings."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from workflow_scripts.errors import UserError


@dataclass(frozen=True)
class SimilaritySet:
    """Pairs of strings with a human score; the four lists have one entry per pair.

    `dropped` counts the pairs of the files that are not here, by reason.
    """

    left: list[str]
    right: list[str]
    gold: list[float]
    subset: list[str]
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class LabelledPairs:
    """Pairs of strings with a label, 0 or 1; the three lists have one entry per pair.

    `dropped` counts the pairs of the files that are not here, by reason.
    """

    left: list[str]
    right: list[str]
    label: list[int]
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class LabelledSentences:
    """Sentences with the class of each."""

    sentences: list[str]
    labels: list[str]
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ParallelSentences:
    """Sentences and their translations, one entry per pair."""

    left: list[str]
    right: list[str]
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class StringSet:
    """Strings without gold, whose vectors are looked at as a whole (isotropy)."""

    strings: list[str]
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class LinkingSet:
    """Mentions to link to the entries of a dictionary.

    `names[i]` is a dictionary entry and `name_concepts[i]` the concept ids it stands for.
    `mentions[q]` holds the parts of query q (a composite mention has several; a query is right
    when all of its parts are), and `gold[q][p]` the concept ids accepted for part p.
    `dropped` counts the queries of the files that are not here, by reason.
    """

    names: list[str]
    name_concepts: list[list[str]]
    mentions: list[list[str]]
    gold: list[list[list[str]]]
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class LexiconSet:
    """A bilingual dictionary with the words among which translations are sought.

    `train` and `test` hold (source word, target word); a source may occur with several targets,
    any of which is right. The vocabularies hold every word of the dictionary's own.
    """

    source_language: str
    target_language: str
    train: list[tuple[str, str]]
    test: list[tuple[str, str]]
    source_vocabulary: list[str]
    target_vocabulary: list[str]
    dropped: dict[str, int] = field(default_factory=dict)


def parse_gold(text: str, lowest: float, highest: float, path: Path, line: int) -> float:
    """Return the score written in `text`; `UserError` if it is no number in [lowest, highest]."""
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not lowest <= score <= highest:
        raise UserError(
            f"{path}:{line}: expected a score from {lowest:g} to {highest:g}, found {text!r}; "
            "mend or remove the line"
        )
    return score


def require_strings(strings: list[str], what: str, path: Path, line: int) -> None:
    """Raise `UserError` if one of the strings of a row is blank; `what` says what they are."""
    if not all(string.strip() for string in strings):
        raise UserError(f"{path}:{line}: {what} is empty; mend or remove the line")


def require_new_id(identity: str, seen: set[str], what: str, path: Path, line: int) -> None:
    """Add `identity` to those seen; `UserError` if it was there. `what` is the column's name."""
    if identity in seen:
        raise UserError(f"{path}:{line}: {what} {identity!r} occurs twice; remove one row")
    seen.add(identity)


def count_dropped(dropped: dict[str, int], reason: str, number: int = 1) -> None:
    """Add to the count of a reason; a reason without cases is left out."""
    if number:
        dropped[reason] = dropped.get(reason, 0) + number
