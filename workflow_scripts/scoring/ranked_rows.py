"""Checking that a ranking is whole before it is counted."""

from collections.abc import Hashable, Iterable, Mapping

from workflow_scripts.errors import UserError


def in_order(
    ranks: Mapping[Hashable, Mapping[int, int]],
    expected: Iterable[Hashable],
    longest: int,
    rows: int,
    place: str,
) -> dict[Hashable, list[int]]:
    """Return for each query the rows it was given, best first.

    `ranks` maps query -> rank (from 1) -> row. Raises `UserError`, beginning with `place`, unless
    exactly the `expected` queries are there, each with the ranks 1 to `longest` or more and rows
    below `rows`.
    """
    remedy = "rankings and items do not belong together: make the rankings again"
    ordered = {}
    for query in expected:
        found = ranks.get(query, {})
        whole = sorted(found) == list(range(1, len(found) + 1))
        if not whole or len(found) < longest:
            raise UserError(
                f"{place}: query {query} has {len(found)} ranked rows of the {longest} that are "
                f"scored; {remedy}, with --k {longest} or more"
            )
        ordered[query] = [found[rank] for rank in sorted(found)]
        outside = [row for row in ordered[query] if not 0 <= row < rows]
        if outside:
            raise UserError(f"{place}: query {query} has row {outside[0]} of {rows}; {remedy}")
    extra = ranks.keys() - ordered.keys()
    if extra:
        raise UserError(f"{place}: query {min(extra, key=str)} is unknown; {remedy}")
    return ordered
