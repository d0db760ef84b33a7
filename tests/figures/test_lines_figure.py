"""Scores against the size of the corpus."""

from pathlib import Path

import numpy as np
import pytest
from made_inputs import lines_block, outer

from workflow_scripts.errors import UserError
from workflow_scripts.figures.kinds.lines import flat_fact, size_text, ticks
from workflow_scripts.scoring.bootstrap_replicates import read_replicates
from workflow_scripts.tables.cells import Cell


def one_line(made, points):
    """Return a block with one line; `points` has the parts of each size."""
    entries = [
        {"id": f"s/n{size}", "label": f"S, n{size}", "parts": parts}
        | {"record": made.record(f"c{size}", size)}
        for size, parts in points.items()
    ]
    series = [{"id": "s", "label": "S", "points": entries}]
    return outer("lines", x_label="Size (strings)", y_label="Score (rho)", series=series)


def test_points_are_means_with_intervals_by_size(made):
    large = made.scores("large", {33: 0.5, 44: 0.75})
    small = made.scores("small", {33: 0.25, 44: 0.25})
    made.draw(one_line(made, {2000: [large], 1000: [small]}))
    first, second = made.rows("figure-lines.tsv")
    points = [(row["x"], row["y"]) for row in (first, second)]
    assert points == [("1000", "0.250000"), ("2000", "0.625000")]
    details = (read_replicates(Path(path).with_suffix(".npz")) for path in large["scores"])
    replicates = [of_seed["replicates/words-en/spearman"] for of_seed in details]
    expected = np.percentile(np.mean(replicates, axis=0), [2.5, 97.5])
    assert [float(second["low"]), float(second["high"])] == pytest.approx(expected, abs=1e-6)
    assert "95% bootstrap interval over the items" in made.output("figure-lines.md")


def test_without_replicates_a_bar_is_the_deviation_over_seeds(made):
    """That of the means over parts of each seed, .4 and .6; a single run has no bar."""
    parts = [
        made.scores(name, {33: value, 44: 0.6}, name, spread=None)
        for name, value in (("sts12", 0.2), ("sts13", 0.6))
    ]
    for shown, bar, sentence in (
        (parts, ("0.500000", "0.358579", "0.641421"), "sample standard deviation over seeds"),
        ([made.scores("a", {0: 0.5}, spread=None)], ("0.500000", "", ""), "No error bars"),
    ):
        made.draw(one_line(made, {1000: shown}))
        (row,) = made.rows("figure-lines.tsv")
        assert (row["y"], row["low"], row["high"]) == bar
        assert sentence in made.output("figure-lines.md")


def test_what_is_not_run_is_named_and_not_drawn(made):
    made.draw(lines_block(made))
    points = [(row["series"], row["x"]) for row in made.rows("figure-lines.tsv")]
    assert len(points) == 7 + 7 + 6 and ("sentences", "100000") not in points
    note = made.output("figure-lines.md")
    assert "- RoBERTa, STS12, Spearman's ρ, n100000: fewer strings than that." in note
    assert "their heights may not" in note
    statuses = {row["row"]: row["status"] for row in made.rows("cells/figure-lines.tsv")}
    assert (statuses["words/n1000"], statuses["sentences/n100000"]) == ("no-published", "not-run")


def test_a_missing_file_is_named(made):
    block = one_line(made, {1000: [made.scores("a", {0: 0.5})]})
    for file in ("c1000.json", "a-seed0.npz", "a-seed0.tsv"):
        (made.folder / file).unlink()
        with pytest.raises(UserError, match=f"{file}: no such file"):
            made.draw(block)
    assert not (made.folder / "out").exists()


def test_ticks_stand_at_sizes_and_apart_and_have_no_exponent():
    sizes = [1000, 2000, 5000, 10000, 20000, 50000, 100000]
    assert ticks([*sizes, 1000]) == sizes
    assert ticks([1000, 1010, 2000]) == [1000, 2000]
    assert ticks([300]) == [300]
    texts = {500: "500", 1000: "1k", 1196: "1.2k", 2500: "2.5k", 100_000: "100k", 2_000_000: "2M"}
    texts |= {999_499: "999k", 999_999: "1000k", 12_345: "12.3k"}
    assert {size: size_text(size) for size in texts} == texts


@pytest.mark.parametrize(
    ("means", "half", "fact"),
    [
        ((0.27, 0.27), 0.05, "differ by .000, while an interval is .100 wide"),
        ((0.27, 0.31, 0.28), 0.05, "differ by .040, while an interval is .100 wide"),
        ((0.27, 0.33), 0.05, ""),
        ((0.27,), 0.05, ""),
        ((0.27, 0.27), None, ""),
    ],
)
def test_a_flat_line_is_explained(means, half, fact):
    ends = {} if half is None else {"low": -half, "high": half}
    cells = [
        Cell("t", "r", "c", mean, **{key: mean + end for key, end in ends.items()})
        for mean in means
    ]
    start = "names: no effect of the size is shown. The highest and the lowest score"
    assert flat_fact("names", cells) == ([f"{start} {fact}."] if fact else [])
