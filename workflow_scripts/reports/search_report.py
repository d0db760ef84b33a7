"""The report of `search`: scores of hits or pairs, the doubtful ones first."""

from collections.abc import Sequence

import numpy as np

from workflow_scripts.reports.charts import Group, histogram
from workflow_scripts.reports.page import Column, Fact, Figure, Listing, Report, cut, first_of
from workflow_scripts.retrieval.numbered_lines import NumberedLines
from workflow_scripts.retrieval.rankings import as_written

# rows of a list, and of that of queries without a hit
_MOST, _MOST_WITHOUT = 100, 50
_DIGITS = 4


def nearest_report(
    encoder: str,
    queries: NumberedLines,
    strings: NumberedLines,
    rows: np.ndarray,
    scores: np.ndarray,
    threshold: float | None = None,
    notes: Sequence[tuple[str, str]] = (),
) -> Report:
    """Return the report of the nearest strings of queries.

    `rows` of the strings and `scores` are [queries, k], best first. `encoder` is a name to show.
    """
    total, title = len(queries.strings), f"Nearest strings by {cut(encoder)}"
    best = as_written(scores[:, 0])
    has_hit = np.ones(len(best), bool) if threshold is None else best >= threshold
    hits = int(has_hit.sum())
    verdict = f"{hits:,} of {total:,} queries have a near string"
    verdict += "." if threshold is None else f", of cosine {threshold:g} or more."
    facts = [Fact(f"{hits:,}", "queries with a hit", f"of {total:,}")]
    facts.append(Fact(f"{np.median(best):.3f}", "median cosine", "of the nearest string"))
    groups = [
        Group("hit", "plain", best[has_hit]),
        Group("below the threshold", "none", best[~has_hit]),
    ]
    text = "How near the nearest string of each query is: queries on the left found nothing alike."
    groups = [group for group in groups if len(group.values)]
    figures = [_histogram("Cosine of the nearest string", text, groups, "queries", threshold)]

    def listing(title: str, order: list[int], text: str, most: int = _MOST) -> Listing:
        fields = [_hit(queries, strings, rows, scores, row) for row in order[:most]]
        count = first_of(len(fields), len(order), "queries")
        return Listing(title, f"{count}{text}", _HITS, fields)

    if scores.shape[1] > 1:
        margins = best - scores[:, 1]
        figures += [_margins(margins[has_hit])] if hits else []
        order = _rising(margins, has_hit)
        text = ": the second string is nearly as near, or equal to it."
        listings = [listing("Smallest margin first", order, text)]
        text = ": no other string is as near."
        listings.append(listing("Largest margin first", order[::-1], text))
    else:
        text = ". For margins search with --k 2 or more."
        listings = [listing("Lowest cosine first", _rising(best, has_hit), text)]
    text = ", the nearest to a hit first."
    listings.append(listing("Without a hit", _rising(-best, ~has_hit), text, _MOST_WITHOUT))
    shown = [each for each in listings if each.rows]
    return Report(title, verdict, facts, figures, shown, notes)


def _rising(values: np.ndarray, is_shown: np.ndarray) -> list[int]:
    return [row for row in np.argsort(values, kind="stable").tolist() if is_shown[row]]


_HITS = [
    *(Column("query"), Column("nearest"), Column("cosine", True), Column("margin", True)),
    Column("second"),
]


def _hit(
    queries: NumberedLines, strings: NumberedLines, rows: np.ndarray, scores: np.ndarray, row: int
) -> list[str]:
    nearest = [cut(queries.strings[row]), cut(strings.strings[rows[row, 0]])]
    nearest.append(f"{scores[row, 0]:.{_DIGITS}f}")
    if scores.shape[1] < 2:
        return [*nearest, "–", "–"]
    margin = f"{scores[row, 0] - scores[row, 1]:.{_DIGITS}f}"
    return [*nearest, margin, cut(strings.strings[rows[row, 1]])]


def pairs_report(
    title: str,
    left: NumberedLines,
    right: NumberedLines,
    rows: np.ndarray,
    others: np.ndarray,
    scores: np.ndarray,
    what: str,
    threshold: float | None = None,
    notes: Sequence[tuple[str, str]] = (),
) -> Report:
    """Return the report of pairs of `rows` [n] of `left` and `others` [n] of `right`.

    `what` the scores [n] are is their name on the page: "cosine" or "margin".
    """
    total = len(scores)
    lines = f"{len(left.strings):,} different strings"
    if right is not left:
        lines += f" and {len(right.strings):,} of the other file"
    paired = len(np.unique(rows if right is not left else np.concatenate([rows, others])))
    verdict = f"{total:,} pairs among {lines}."
    facts = [Fact(f"{total:,}", "pairs")]
    facts.append(Fact(f"{paired:,}", "strings in a pair", f"of {len(left.strings):,}"))
    if not total:
        return Report(title, f"No pair among {lines}.", facts, notes=notes)
    facts.append(Fact(f"{np.median(scores):.3f}", f"median {what}"))
    text = f"Pairs on the left are the doubtful ones: a {what} is higher for better pairs."
    groups = [Group("pairs", "plain", scores)]
    figures = [
        _histogram(f"{what.capitalize()} of the pairs", text, groups, "pairs", threshold, what)
    ]
    order = np.argsort(scores, kind="stable")
    columns = [Column("string"), Column("other"), Column(what, True), Column("lines", True)]

    def fields(row: int) -> list[str]:
        numbers = left.numbers[rows[row]], right.numbers[others[row]]
        strings = left.strings[rows[row]], right.strings[others[row]]
        return [*map(cut, strings), f"{scores[row]:.{_DIGITS}f}", " – ".join(map(str, numbers))]

    count = first_of(min(total, _MOST), total, "pairs")
    lowest = [fields(row) for row in order[:_MOST].tolist()]
    highest = [fields(row) for row in order[: -_MOST - 1 : -1].tolist()]
    listings = [Listing(f"Lowest {what} first", f"{count}. Check these by hand.", columns, lowest)]
    if total > _MOST:
        listings.append(Listing(f"Highest {what} first", f"{count}.", columns, highest))
    return Report(title, verdict, facts, figures, listings, notes)


def _histogram(
    title: str,
    text: str,
    groups: Sequence[Group],
    counted: str,
    threshold: float | None,
    what: str = "cosine",
) -> Figure:
    drawing = histogram(groups, "scores", title, what, counted, threshold)
    legend = [(group.tone, group.label) for group in groups] if len(groups) > 1 else []
    return Figure(title, text, drawing, legend)


def _margins(margins: np.ndarray) -> Figure:
    title = "Margin to the second string"
    text = "Small margins, on the left: another string is nearly as near. Those hits are doubtful."
    groups = [Group("hit", "plain", margins)]
    return Figure(title, text, histogram(groups, "margins", title, "margin", "queries"))
