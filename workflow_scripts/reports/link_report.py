"""The report of `link`: scores, precision by coverage, and the doubtful links first."""

import math
from collections.abc import Callable, Sequence

from workflow_scripts.reports.charts import CurvePoint, Group, histogram, share_curve, thinned
from workflow_scripts.reports.link_survey import (
    LINKED,
    RIGHT,
    UNLINKED,
    WRONG,
    LinkSurvey,
    SurveyedLink,
)
from workflow_scripts.reports.page import (
    Column,
    Fact,
    Figure,
    Listing,
    Report,
    cut,
    cut_id,
    first_of,
)
from workflow_scripts.retrieval import mention_links
from workflow_scripts.retrieval.link_options import LinkOptions
from workflow_scripts.retrieval.link_thresholds import ThresholdPoint, share_interval
from workflow_scripts.retrieval.rankings import as_written
from workflow_scripts.tables.numbers import format_interval, format_number

# kinds of mentions with their classes of report.css
_TONES = {RIGHT: "right", WRONG: "wrong", LINKED: "plain", UNLINKED: "none"}
Confidence = Callable[[float], float]


def link_report(
    encoder: str,
    survey: LinkSurvey,
    options: LinkOptions,
    counts: mention_links.Report,
    confidence: Confidence | None = None,
    notes: Sequence[tuple[str, str]] = (),
) -> Report:
    """Return the report of what a survey collected, next to the counts of the command.

    `options` are those that decided what is linked, `encoder` is a name to show. `confidence` gives
    the probability that a best id is right by its score.
    """
    total = sum(map(len, survey.scores.values()))
    unlinked_count = len(survey.scores.get(UNLINKED, ()))
    linked = total - unlinked_count
    verdict = f"{linked:,} of {total:,} mentions are linked"
    facts = [Fact(f"{linked:,}", "mentions linked", f"of {total:,}")]
    right, wrong = (len(survey.scores.get(kind, ())) for kind in (RIGHT, WRONG))
    if right + wrong:
        share = f"{right:,} of the {right + wrong:,} links that can be checked are right"
        verdict += f"; {share} ({format_number(right / (right + wrong))})"
    if counts.known:
        for k in sorted({1, options.k}):
            hits = counts.hits_at(k)
            note = f"95%: {format_interval(share_interval(hits, counts.known))}"
            facts.append(Fact(format_number(hits / counts.known), f"accuracy@{k}", note))
    figures, listings = _score_figures(survey, options), []
    if doubtful := survey.doubtful:
        text = first_of(len(doubtful), linked, "links")
        text += ", the smallest margin first: the second best id scores nearly as high."
        listings.append(_listing("Doubtful links", text, doubtful, confidence))
    if points := counts.threshold_points():
        figures.append(_curve(points, counts.known))
    if unlinked := survey.unlinked:
        text = first_of(len(unlinked), unlinked_count, "mentions")
        text += ", the nearest to a link first."
        listings.append(_listing("Not linked", text, unlinked, confidence))
    return Report(f"Links by {cut(encoder)}", f"{verdict}.", facts, figures, listings, notes)


def _score_figures(survey: LinkSurvey, options: LinkOptions) -> list[Figure]:
    groups = [
        Group(kind, tone, survey.scores[kind])
        for kind, tone in _TONES.items()
        if kind in survey.scores
    ]
    if not groups:
        return []
    title = "Scores of the best ids"
    text = "How near each mention is to the best name: links on the left are the less certain ones."
    drawing = histogram(groups, "scores", title, "score", "mentions", options.threshold)
    return [Figure(title, text, drawing, [(group.tone, group.label) for group in groups])]


def _curve(points: Sequence[ThresholdPoint], known: int) -> Figure:
    curve = []
    for row in thinned(len(points)):
        point = points[row]
        linked = round(point.coverage * known)
        ends = share_interval(round(point.precision * linked), linked)
        curve.append(CurvePoint(point.coverage, point.precision, *ends))
    title = "Precision and coverage"
    text = "The higher the threshold, the fewer mentions are linked, and the more links are right."
    drawing = share_curve(curve, "precision", title, "mentions linked", "links right")
    return Figure(title, f"{text} Band: 95% interval.", drawing)


def _listing(
    title: str, text: str, links: Sequence[SurveyedLink], confidence: Confidence | None
) -> Listing:
    columns = [Column("mention"), Column("best name"), Column("id"), Column("score", True)]
    columns += [Column("margin", True), Column("second name"), Column("second id")]
    rows = [_fields(link) for link in links]
    if confidence is not None:
        columns.append(Column("confidence", True))
        for row, link in zip(rows, links, strict=True):
            row.append(f"{confidence(float(as_written(link.best.score))):.2f}")
    if any(link.is_right is not None for link in links):
        columns += [Column("known id"), Column("right?")]
        marks = {True: "yes", False: "no", None: "–"}
        for row, link in zip(rows, links, strict=True):
            row += [cut_id(link.mention.gold or "–"), marks[link.is_right]]
    return Listing(title, text, columns, rows)


def _fields(link: SurveyedLink) -> list[str]:
    second = ["–", "–"] if link.second is None else [cut(link.second.name), cut_id(link.second.id)]
    margin = "–" if math.isinf(link.margin) else f"{link.margin:.4f}"
    best = [cut(link.best.name), cut_id(link.best.id), f"{link.best.score:.4f}"]
    return [cut(link.mention.expanded or link.mention.text), *best, margin, *second]
