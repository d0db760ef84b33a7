"""How likely the best link of a mention is right: isotonic regression over its score.

Fitted on half of the mentions that have gold ids, checked on the other half (Zadrozny and Elkan
2002, Transforming classifier scores into accurate multiclass probability estimates).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_json, write_json
from workflow_scripts.imports import quick_imports
from workflow_scripts.option_paths import check_own_json
from workflow_scripts.retrieval.link_options import LinkOptions
from workflow_scripts.retrieval.link_thresholds import (
    ThresholdPoint,
    share_interval,
    threshold_points,
)
from workflow_scripts.retrieval.mention_links import Link
from workflow_scripts.retrieval.mentions import MentionBatch
from workflow_scripts.retrieval.name_index import NameIndex, provenance_of_vectors
from workflow_scripts.retrieval.rankings import as_written

_BINS = 10
_SEEDS = 2**32  # that scikit-learn takes
_REFIT = "fit another with --gold-column and --write-calibration"
# what tells such a file from others
_KEY = "confidences"


class JudgedMention(NamedTuple):
    """A mention with a gold id: what was embedded of it, its best score, whether that id is right.

    Equal texts have equal scores, and so are in one half.
    """

    text: str
    score: float
    right: bool


@dataclass(frozen=True)
class Calibration:
    """From the score of a mention's best link to the probability that the link is right.

    A line from point to point of `scores`, rising, and `confidences`. `thresholds` are precision
    and coverage by score on the `mentions` that it was fitted on. `made_by` says with what encoder
    and names.
    """

    scores: Sequence[float]
    confidences: Sequence[float]
    thresholds: Sequence[ThresholdPoint]
    mentions: int
    made_by: Mapping[str, Any]

    def confidence(self, scores: Any) -> Any:
        """Return the probabilities [n] of scores [n], or of one score."""
        return np.interp(scores, self.scores, self.confidences)

    def threshold_for(self, precision: float) -> ThresholdPoint:
        """Return the lowest score above which a share `precision` of the links is right.

        On the mentions that this was fitted on; `UserError` where there is none.
        """
        reached = [point for point in self.thresholds if point.precision >= precision]
        if not reached:
            best = max(point.precision for point in self.thresholds)
            problem = f"no threshold reaches it; the highest precision is {best:.4f}"
            raise UserError(
                f"--target-precision {precision:g}", problem, "ask for a lower precision"
            )
        return reached[-1]

    def check(self, made_by: Mapping[str, Any], where: str) -> None:
        """Raise `UserError` where scores are of another encoder or other names."""
        for key, value in made_by.items():
            if (was := self.made_by.get(key)) != value:
                raise UserError(where, f"fitted with {key} {was}, but now it is {value}", _REFIT)

    def save(self, path: str | Path) -> None:
        """Write a file that `read_calibration` reads, replacing only one of its kind."""
        check_own_json("calibration", Path(path), _KEY)
        write_json(Path(path), asdict(self))


def read_calibration(path: str | Path) -> Calibration:
    """Return what `Calibration.save` wrote; `UserError` for another file."""
    content = read_json(Path(path))
    if not isinstance(content, dict) or _KEY not in content:
        raise UserError(path, "not a calibration", _REFIT)
    with damaged_file_error(Path(path), _REFIT):
        content["thresholds"] = [ThresholdPoint(*point) for point in content["thresholds"]]
        return Calibration(**content)


def made_by(provenance: Mapping[str, Any], index: NameIndex) -> dict[str, Any]:
    """Return what a calibration depends on: what changes vectors, and the names."""
    return {**provenance_of_vectors(provenance), "names_sha256": index.names_sha256}


class Quality(NamedTuple):
    """How far probabilities are from what is right: the lower, the better.

    Brier score: the mean squared difference. Expected calibration error (Naeini et al. 2015): over
    ten bins of equal width, the mean distance of a bin's mean probability from its share of right
    ones, by how many each holds.
    """

    brier: float
    calibration_error: float


def quality(probabilities: Any, right: Sequence[bool]) -> Quality:
    """Return the quality of probabilities [n] that something is right."""
    values, truth = np.asarray(probabilities, dtype=np.float64), np.asarray(right, dtype=np.float64)
    bins = np.searchsorted(np.linspace(0, 1, _BINS + 1)[1:-1], values)
    # the distance of the means of a bin, by how many it holds
    distances = np.abs(np.bincount(bins, weights=values - truth))
    return Quality(float(np.mean((values - truth) ** 2)), float(distances.sum() / len(values)))


def split_in_halves(
    judged: Sequence[JudgedMention], seed: int
) -> tuple[list[JudgedMention], list[JudgedMention]]:
    """Return two random halves, in which no text of one is in the other."""
    if not 0 <= seed < _SEEDS:
        raise UserError(f"--seed {seed}", "give a whole number from 0 to 2^32 - 1", None)
    texts = [mention.text for mention in judged]
    if len(set(texts)) < 2:
        problem = f"{len(set(texts))} different mentions with a gold id, too few for two halves"
        raise UserError("--gold-column", problem, "give more of them (some 50 at least)")
    with quick_imports():
        from sklearn.model_selection import GroupShuffleSplit

    splitter = GroupShuffleSplit(n_splits=1, test_size=0.5, random_state=seed)
    rows, others = next(splitter.split(texts, groups=texts))
    return [judged[row] for row in rows], [judged[row] for row in others]


def fit_calibration(judged: Sequence[JudgedMention], maker: Mapping[str, Any]) -> Calibration:
    """Return the calibration of mentions with a gold id."""
    with quick_imports():
        from sklearn.isotonic import IsotonicRegression

    scores, right = [mention.score for mention in judged], [mention.right for mention in judged]
    fitted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, right)
    points = threshold_points(scores, right, len(judged))
    steps = fitted.X_thresholds_.tolist(), fitted.y_thresholds_.tolist()
    return Calibration(*steps, points, len(judged), maker)


@dataclass(frozen=True)
class CalibrationPlan:
    """Whether a calibration is fitted, or which is used; and what `made_by` gives now.

    `target_precision` sets the threshold of links. With `gold` some mentions have a gold id, on
    which the calibration is checked. `name` is what errors call it.
    """

    made_by: Mapping[str, Any]
    fit: bool = False
    calibration: Calibration | None = None
    target_precision: float | None = None
    gold: bool = False
    seed: int = 33
    name: str = "calibration"


class SettledLinks(NamedTuple):
    """Answers with what decides which of them are links, and lines that say what that rests on."""

    answers: "Iterable[Answer]"
    options: LinkOptions
    calibration: Calibration | None
    lines: list[str]

    @property
    def confidence(self) -> Callable[[float], float] | None:
        """What gives the probability that a best link is right by its score, if anything does."""
        return None if self.calibration is None else self.calibration.confidence


# mentions, and k + 1 links of each distinct text
Answer = tuple[MentionBatch, Sequence[Sequence[Link]]]


def settle_links(
    answers: Iterable[Answer], options: LinkOptions, plan: CalibrationPlan
) -> SettledLinks:
    """Return answers with their calibration, and with the threshold of a precision.

    All are read first where a calibration is fitted; else they stay a stream. Raises `UserError`
    for a calibration of another encoder or other names, and for a precision that is not reached.
    """
    calibration, lines = plan.calibration, []
    if calibration is not None:
        calibration.check(plan.made_by, plan.name)
    others: list[JudgedMention] = []
    if plan.gold and (plan.fit or calibration is not None):
        answers = list(answers)
        others = judged_mentions(answers)
    if plan.fit:
        part, others = split_in_halves(others, plan.seed)
        calibration = fit_calibration(part, plan.made_by)
    who = f"{'the other' if plan.fit else 'these'} {len(others)}"
    if calibration is not None and others:
        is_cosine = plan.made_by["similarity"] == "cosine"
        lines += quality_lines(calibration, others, who, is_cosine)
    if plan.target_precision is not None:
        assert calibration is not None  # the options are checked
        point = calibration.threshold_for(plan.target_precision)
        options = replace(options, threshold=point.threshold)
        lines += precision_lines(plan.target_precision, point, calibration.mentions, others, who)
    return SettledLinks(answers, options, calibration, lines)


def judged_mentions(answers: Iterable[Answer]) -> list[JudgedMention]:
    """Return the mentions that have a gold id, whatever their scores."""
    judged = []
    for batch, ranked in answers:
        best = {text: links[0] for text, links in zip(batch.distinct, ranked, strict=True)}
        for mention, text in zip(batch.mentions, batch.texts, strict=True):
            if gold := mention.gold_ids:
                score = float(as_written(best[text].score))
                judged.append(JudgedMention(text, score, best[text].is_one_of(gold)))
    return judged


def quality_lines(
    calibration: Calibration, others: Sequence[JudgedMention], who: str, is_cosine: bool
) -> list[str]:
    """Return lines on the quality of confidences on other mentions, which are called `who`.

    Next to it that of the scores themselves, as probabilities, where they are cosines.
    """
    scores, right = [mention.score for mention in others], [mention.right for mention in others]
    after = quality(calibration.confidence(scores), right)
    lines = [
        f"confidence: fitted on {calibration.mentions} mentions; on {who}:",
        f"  Brier score {after.brier:.4f}, calibration error {after.calibration_error:.4f}",
    ]
    if is_cosine:
        before = quality(np.clip(scores, 0, 1), right)
        lines[1] += (
            f" (of the scores themselves {before.brier:.4f} and {before.calibration_error:.4f};"
            " lower is better)"
        )
        if after.brier >= before.brier:
            lines.append("  no better than the raw scores: fit on more mentions with gold ids")
    return lines


def precision_lines(
    target: float,
    point: ThresholdPoint,
    mentions: int,
    others: Sequence[JudgedMention],
    who: str,
) -> list[str]:
    """Return lines on the threshold of a precision, and what it comes to on other mentions.

    It was chosen on `mentions`; the others are called `who`.
    """
    chosen = f"precision {point.precision:.4f}, coverage {point.coverage:.4f}"
    lines = [
        f"target precision {target:g}: links need a score of {point.threshold:.6f} or more",
        f"  on the {mentions} mentions that this was chosen on: {chosen}",
    ]
    if others:
        linked = [mention.right for mention in others if mention.score >= point.threshold]
        shown = "none linked"
        if linked:
            low, high = share_interval(sum(linked), len(linked))
            precision = sum(linked) / len(linked)
            shown = f"precision {precision:.4f} (95% interval {low:.4f} {high:.4f})"
            shown += f", coverage {len(linked) / len(others):.4f}"
        lines.append(f"  on {who}: {shown}")
    return lines
