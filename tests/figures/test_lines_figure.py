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
    found = [(row["x"], row["y"]) for row in (first, second)]
    assert found == [("1000", "0.250000"), ("2000", "0.625000")]
    details = (read_replicates(Path(path).with_suffix(".npz")) for path in large["scores"])
    replicates = [one["replicates/words-en/spearman"] for one in details]
    expected = np.percentile(np.mean(replicates, axis=0), [2.5, 97.5])
    assert [float(second["low"]), float(second["high"])] == pytest.approx(expected, abs=1e-6)
    assert "95% bootstrap interval over the items" in made.output("figure-lines.md")


def test_a_point_of_several_parts_is_their_mean(made):
    """The deviation is that of the means of each seed: .4 and .6."""
    one = made.scores("one", {33: 0.2, 44: 0.6}, "sts12", spread=None)
    two = made.scores("two", {33: 0.6, 44: 0.6}, "sts13", spread=None)
    made.draw(one_line(made, {1000: [one, two]}))
    (row,) = made.rows("figure-lines.tsv")
    deviation = 0.2 / 2**0.5
    found = [float(row[name]) for name in ("y", "low", "high")]
    assert found == pytest.approx([0.5, 0.5 - deviation, 0.5 + deviation], abs=1e-6)
    assert "sample standard deviation over seeds" in made.output("figure-lines.md")


def test_a_single_run_without_replicates_has_no_bar(made):
    made.draw(one_line(made, {1000: [made.scores("a", {0: 0.5}, spread=None)]}))
    (row,) = made.rows("figure-lines.tsv")
    assert (row["low"], row["high"]) == ("", "")
    assert "No error bars" in made.output("figure-lines.md")


def test_what_is_not_run_is_named_and_not_drawn(made):
    made.draw(lines_block(made))
    found = [(row["series"], row["x"]) for row in made.rows("figure-lines.tsv")]
    assert len(found) == 7 + 7 + 6
    assert ("sentences", "100000") not in found
    note = made.output("figure-lines.md")
    assert "- RoBERTa, STS12, Spearman's ρ, n100000: fewer strings than that." in note
    assert "their heights may not" in note
    statuses = {r["row"]: r["status"] for r in made.rows("cells/figure-lines.tsv")}
    assert statuses["words/n1000"] == "no-published"
    assert statuses["sentences/n100000"] == "not-run"


def test_a_missing_file_is_named(made):
    block = one_line(made, {1000: [made.scores("a", {0: 0.5})]})
    for file in ("c1000.json", "a-seed0.npz", "a-seed0.tsv"):
        (made.folder / file).unlink()
        with pytest.raises(UserError, match=f"{file}: no such file"):
            made.draw(block)
    assert not (made.folder / "out").exists()


def test_ticks_stand_at_sizes_and_apart():
    sizes = [1000, 2000, 5000, 10000, 20000, 50000, 100000]
    assert ticks([*sizes, 1000]) == sizes
    assert ticks([1000, 1010, 2000]) == [1000, 2000]
    assert ticks([300]) == [300]


def test_sizes_as_the_axis_shows_them_have_no_exponent():
    sizes = {500: "500", 1000: "1k", 1196: "1.2k", 2500: "2.5k", 100_000: "100k", 2_000_000: "2M"}
    sizes |= {999_499: "999k", 999_999: "1000k", 12_345: "12.3k"}
    assert {size: size_text(size) for size in sizes} == sizes


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
    facts = flat_fact("names", cells)
    start = "names: no effect of the size is shown. The highest and the lowest score"
    assert facts == ([f"{start} {fact}."] if fact else [])
