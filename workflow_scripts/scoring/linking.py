"""Entity linking: hits within k dictionary names, as SapBERT's evaluation counts them."""

from collections.abc import Sequence


def hits_at(
    k: int,
    ranked: Sequence[Sequence[Sequence[int]]],
    name_concepts: Sequence[Sequence[str]],
    gold: Sequence[Sequence[Sequence[str]]],
) -> list[bool]:
    """Return whether each mention is linked within the first k names; accuracy@k is their share.

    `ranked` holds rows of the dictionary, best first, per mention and part; `name_concepts` the
    concept ids of each row; `gold` the accepted ids per mention and part. A part is hit if any of
    its first k names carries an accepted id, and a mention if all its parts are (a composite
    mention has several). k counts names, not concepts: two names of one concept take two places.
    """
    return [
        all(
            any(not accepted.isdisjoint(name_concepts[row]) for row in rows[:k])
            for rows, accepted in zip(parts, map(set, wanted), strict=True)
        )
        for parts, wanted in zip(ranked, gold, strict=True)
    ]


def coverage(
    name_concepts: Sequence[Sequence[str]], gold: Sequence[Sequence[Sequence[str]]]
) -> float:
    """Return the share of mentions that the dictionary can answer: each part has an id in it.

    No ranking reaches a higher accuracy.
    """
    known = {concept for concepts in name_concepts for concept in concepts}
    answerable = [all(not known.isdisjoint(accepted) for accepted in parts) for parts in gold]
    return sum(answerable) / len(answerable)
