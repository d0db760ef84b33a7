"""Confidences of links: against isotonic regression by its formula, plain loops, and by hand."""

import json
import random

import numpy as np
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.link_calibration import (
    CalibrationPlan,
    JudgedMention,
    fit_calibration,
    precision_lines,
    quality,
    quality_lines,
    read_calibration,
    settle_links,
    split_in_halves,
)
from workflow_scripts.retrieval.link_options import LinkOptions
from workflow_scripts.retrieval.link_thresholds import ThresholdPoint
from workflow_scripts.retrieval.mention_links import Link
from workflow_scripts.retrieval.mentions import Mention, mention_batches

MAKER = {"similarity": "cosine", "names_sha256": "abc"}


def judged(pairs):
    return [JudgedMention(f"m{n}", score, right) for n, (score, right) in enumerate(pairs)]


def drawn(number, seed=3):
    draw = random.Random(seed)
    scores = draw.sample(range(1000), number)
    # rarer than the score says
    return judged((score / 1000, draw.random() < (score / 1000) ** 2) for score in scores)


def by_formula(mentions):
    """The highest of the lowest means: max over a <= i of min over b >= i of the mean of a..b."""
    right = [float(mention.right) for mention in sorted(mentions, key=lambda m: m.score)]
    places = range(len(right))
    return [
        max(min(np.mean(right[a : b + 1]) for b in places[i:]) for a in range(i + 1))
        for i in places
    ]


def test_confidences_of_a_small_case():
    fitted = fit_calibration(judged([(0.2, 0), (0.4, 1), (0.6, 0), (0.8, 1)]), MAKER)
    assert fitted.confidence([0.2, 0.4, 0.5, 0.6, 0.8]).tolist() == [0, 0.5, 0.5, 0.5, 1]
    # between two points on the line, beyond them as at the last
    assert fitted.confidence([0.3, 0.7, 0.0, 1.0]) == pytest.approx([0.25, 0.75, 0, 1])
    assert fitted.mentions == 4


def test_confidences_are_the_isotonic_regression():
    mentions = drawn(60)
    scores = sorted(mention.score for mention in mentions)
    fitted = fit_calibration(mentions, MAKER)
    np.testing.assert_allclose(fitted.confidence(scores), by_formula(mentions), atol=1e-12)


def test_equal_scores_have_the_share_of_right_ones():
    fitted = fit_calibration(judged([(0.5, 1), (0.5, 0), (0.5, 1), (0.9, 1)]), MAKER)
    assert fitted.confidence([0.5, 0.9]) == pytest.approx([2 / 3, 1])


@pytest.mark.parametrize("right", [True, False])
def test_links_that_are_all_right_or_all_wrong_have_one_confidence(right):
    mentions = judged([(0.1, right), (0.9, right)])
    assert fit_calibration(mentions, MAKER).confidence([0.1, 0.5, 0.9]).tolist() == [right] * 3
    assert quality([float(right)] * 2, [right] * 2) == (0, 0)


def plain_quality(probabilities, right):
    pairs = [*zip(probabilities, right, strict=True)]
    brier = sum((p - r) ** 2 for p, r in pairs) / len(pairs)
    error = 0.0
    for number in range(10):
        low, high = number / 10, (number + 1) / 10
        own = [(p, r) for p, r in pairs if low < p <= high or (p == 0 and number == 0)]
        if own:
            mean, share = (sum(column) / len(own) for column in zip(*own, strict=True))
            error += len(own) / len(pairs) * abs(mean - share)
    return brier, error


@pytest.mark.parametrize("seed", range(5))
def test_quality_is_that_of_a_plain_loop(seed):
    draw = random.Random(seed)
    # not at the edges of bins, which floats are on either side of
    values = [draw.choice([0.0, 1.0, draw.randrange(1000) / 1000 + 0.0003]) for _ in range(300)]
    values = [min(value, 1.0) for value in values]
    right = [draw.random() < value**2 for value in values]
    assert quality(values, right) == pytest.approx(plain_quality(values, right))


def test_halves_share_no_text_and_are_those_of_the_seed():
    mentions = [JudgedMention(f"m{n % 30}", n / 100, n % 3 == 0) for n in range(100)]
    halves = split_in_halves(mentions, 33)
    texts = [{mention.text for mention in half} for half in halves]
    assert [len(some) for some in texts] == [15, 15] and not texts[0] & texts[1]
    assert sorted([*halves[0], *halves[1]]) == sorted(mentions)
    assert split_in_halves(mentions, 33) == halves != split_in_halves(mentions, 34)


def answers_of(mentions):
    """Answers of which the first id has the mention's score and the second is far."""
    rows = [Mention(m.text, "C1" if m.right else "C2") for m in mentions]
    [batch] = mention_batches(rows, lower_case=False)
    return [(batch, [[Link("C1", "a", m.score), Link("C3", "b", -1.0)] for m in mentions])]


def test_the_threshold_of_a_precision_is_chosen_on_one_half_and_checked_on_the_other():
    mentions = drawn(200)
    plan = CalibrationPlan(MAKER, fit=True, target_precision=0.8, gold=True)
    settled = settle_links(answers_of(mentions), LinkOptions(), plan)
    chosen, others = split_in_halves(mentions, 33)
    threshold = settled.options.threshold
    shares = []
    for half in (chosen, others):
        linked = [mention.right for mention in half if mention.score >= threshold]
        shares.append((f"{sum(linked) / len(linked):.4f}", f"{len(linked) / len(half):.4f}"))
    # no lower score has the precision
    for lower in (mention.score for mention in chosen if mention.score < threshold):
        linked = [mention.right for mention in chosen if mention.score >= lower]
        assert sum(linked) / len(linked) < 0.8
    confidences = settled.calibration.confidence([mention.score for mention in others])
    after = plain_quality(confidences, [mention.right for mention in others])
    before = plain_quality(*zip(*((m.score, m.right) for m in others), strict=True))
    lines = settled.lines
    assert lines[0] == "confidence: fitted on 100 mentions; on the other 100:"
    assert lines[1] == (
        f"  Brier score {after[0]:.4f}, calibration error {after[1]:.4f} (of the scores "
        f"themselves {before[0]:.4f} and {before[1]:.4f}; lower is better)"
    )
    assert lines[2] == f"target precision 0.8: links need a score of {threshold:.6f} or more"
    assert lines[3].endswith(f"chosen on: precision {shares[0][0]}, coverage {shares[0][1]}")
    assert lines[4].startswith(f"  on the other 100: precision {shares[1][0]} (95% interval ")
    assert lines[4].endswith(f"coverage {shares[1][1]}")


def test_confidences_that_are_no_better_than_scores_are_named():
    """Scores that are right as probabilities, and a calibration that says the opposite."""
    others = judged([(0.0, False), (1.0, True)])
    fitted = fit_calibration(judged([(0.0, True), (1.0, False)]), MAKER)
    assert quality_lines(fitted, others, "these", is_cosine=True)[1:] == [
        "  Brier score 0.2500, calibration error 0.0000 (of the scores themselves 0.0000 and "
        "0.0000; lower is better)",
        "  no better than the raw scores: fit on more mentions with gold ids",
    ]
    assert len(quality_lines(fitted, others, "these", is_cosine=False)) == 2


def test_the_interval_of_a_precision_is_wilson_s():
    """By hand: 8 of 10 with z = 1.96 gives .4902 to .9433."""
    others = judged([(0.9, n < 8) for n in range(10)] + [(0.1, False)] * 10)
    point = ThresholdPoint(0.5, 0.9, 0.5)
    assert precision_lines(0.9, point, 20, others, "the other 20")[-1] == (
        "  on the other 20: precision 0.8000 (95% interval 0.4902 0.9433), coverage 0.5000"
    )
    assert (
        precision_lines(0.9, point, 20, others[10:], "these 10")[-1] == "  on these 10: none linked"
    )


def test_a_written_calibration_is_read_again_and_refuses_other_encoders(tmp_path):
    fitted = fit_calibration(drawn(50), MAKER)
    path = tmp_path / "calibration.json"
    fitted.save(path)
    read = read_calibration(path)
    assert read == fitted
    read.check(MAKER, "here")
    for key in MAKER:
        with pytest.raises(UserError, match=f"here: fitted with {key} .*, but now .* is other"):
            read.check(MAKER | {key: "other"}, "here")
    plan = CalibrationPlan({**MAKER, "names_sha256": "other"}, calibration=read, name="--calibr")
    with pytest.raises(UserError, match="--calibr: fitted with names_sha256 abc"):
        settle_links(answers_of(drawn(5)), LinkOptions(), plan)


def test_what_is_no_calibration_is_one_line(tmp_path):
    path = tmp_path / "calibration.json"
    path.write_text('{"a": 1}')
    with pytest.raises(UserError, match=r"calibration.json: not a calibration; fit another with"):
        read_calibration(path)
    with pytest.raises(UserError, match="calibration "):
        fit_calibration(drawn(5), MAKER).save(path)
    path.write_text(json.dumps({"confidences": [0, 1], "thresholds": []}))
    with pytest.raises(UserError, match=r"calibration.json: damaged"):
        read_calibration(path)


def test_what_cannot_be_fitted_is_one_line():
    same = [JudgedMention("m", 0.5, True)] * 3
    with pytest.raises(UserError, match=r"1 different mentions? with a gold id, too few"):
        split_in_halves(same, 33)
    with pytest.raises(UserError, match="--seed -1: give a whole number"):
        split_in_halves(drawn(5), -1)
    fitted = fit_calibration(judged([(0.5, False), (0.6, True), (0.7, False)]), MAKER)
    with pytest.raises(
        UserError, match=r"0.9: no threshold reaches it; .* is 0.5000; ask for a lower"
    ):
        fitted.threshold_for(0.9)
