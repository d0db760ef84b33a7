"""Concept ids as files write them: several joined, with the prefix of their vocabulary or without.

Two ids are equal if their prefixes are and what follows them, or if one has no prefix: MEDIC writes
`215600` where a corpus writes `OMIM:215600`, while `GO:0000123` is not `HP:0000123`. An id without
a prefix stands for that of any vocabulary.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, groupby

# of a vocabulary, such as MESH, OMIM, SNOMEDCT_US; small letters are as good
_PREFIXED = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*):(\S+)")
# What a `+` joins; it is part of names that are their own ids, such as `Na+` or `CD4+CD8`.
_JOINED = re.compile(r"-1|cui[-_]less|[A-Za-z]?[0-9]+|[A-Za-z][A-Za-z0-9_.-]*:\S+", re.IGNORECASE)
_NO_CONCEPT = ("", "-1", "cui-less", "cui_less")


def split_concept_ids(text: str) -> list[str]:
    """Return the different ids joined by `|`, or by `+` where each is an id by its looks, trimmed.

    Left out are `-1` and `CUI-less`, in any case, which say that a mention has no concept.
    """
    ids = [identity.strip() for part in text.split("|") for identity in _split_at_plus(part)]
    return list(
        dict.fromkeys(
            identity for identity in ids if _parts(identity)[1].lower() not in _NO_CONCEPT
        )
    )


def _split_at_plus(text: str) -> list[str]:
    if "+" not in text:
        return [text]
    parts = text.split("+")
    return parts if all(_JOINED.fullmatch(part.strip()) for part in parts) else [text]


def _parts(identity: str) -> tuple[str, str]:
    """Return the prefix in capitals ("" for none) and what follows it."""
    match = _PREFIXED.fullmatch(identity) if ":" in identity else None
    return (match[1].upper(), match[2]) if match else ("", identity)


def ids_meet(some: Iterable[str], others: Iterable[str]) -> bool:
    """Return whether an id of `some` equals one of `others`."""
    pairs = ((_parts(own), _parts(other)) for own in some for other in others)
    return any(a[1] == b[1] and (a[0] == b[0] or not (a[0] and b[0])) for a, b in pairs)


def unmet(sets: Iterable[tuple[str, ...]], ids: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the sets of ids of which none is among `ids`, as written, of which there may be many.

    Repeated ones, one after the other, take no time.
    """
    sought = {own: [_parts(identity) for identity in own] for own in sets}
    prefixes: dict[str, set[str]] = {local: set() for own in sought.values() for _, local in own}
    for text, _ in groupby(ids):
        for prefix, local in map(_parts, split_concept_ids(text)):
            if local in prefixes:
                prefixes[local].add(prefix)

    def is_met(prefix: str, local: str) -> bool:
        known = prefixes[local]
        return bool(known) and (not prefix or prefix in known or "" in known)

    return [own for own, parts in sought.items() if not any(is_met(*part) for part in parts)]


class ConceptIds:
    """All ids of a data set, in a form in which equal ones are the same string.

    That is without prefix, except for what several vocabularies have.
    """

    def __init__(self, sets: Iterable[Iterable[str]]) -> None:
        self._vocabularies: dict[str, dict[str, None]] = defaultdict(dict)
        for prefix, local in map(_parts, chain.from_iterable(sets)):
            if prefix:
                self._vocabularies[local][prefix] = None

    def plain(self, ids: Iterable[str]) -> list[str]:
        """Return the different ids in their form; one without prefix may be several."""
        forms: dict[str, None] = {}
        for prefix, local in map(_parts, ids):
            shared = self._vocabularies.get(local, {})
            if len(shared) < 2:
                forms[local] = None
            else:
                forms |= {
                    f"{vocabulary}:{local}": None for vocabulary in ([prefix] if prefix else shared)
                }
        return list(forms)
