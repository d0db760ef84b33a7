"""Histograms of cosines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_inputs import cosines_block, outer

from workflow_scripts.figures.kinds.cosines import bin_edges, histogram
from workflow_scripts.scoring.bootstrap_replicates import write_replicates


def write_pairs(made, name, cosines, labels):
    path = made.file(f"{name}.npz")
    arrays = {"cosines/qqp": np.float32(cosines), "labels/qqp": np.int8(labels)}
    write_replicates(path, arrays)
    return path.replace(".npz", ".tsv")


def panel(name, *scores):
    parts = [{"dataset": "qqp", "metric": "auc", "scores": [*scores]}]
    return {"id": name, "label": name.upper(), "parts": parts}


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50), st.sampled_from([0.02, 0.05]))
def test_every_cosine_has_a_bin(values, width):
    cosines = np.array(values)
    edges = bin_edges([cosines], width)
    assert histogram(cosines, edges).shares.sum() == pytest.approx(100)
    assert np.allclose(np.diff(edges), width)
    assert np.allclose(edges / width, np.round(edges / width))
    # no more than a bin beyond the data at either end
    assert edges[0] > cosines.min() - width - 1e-6 and edges[-1] < cosines.max() + width + 1e-6


def test_shares_and_medians_by_hand(made):
    """Bins of .05, since there are few pairs; the range is that of both panels together."""
    one = write_pairs(made, "one", [0.91, 0.92, 0.98, 0.83, 0.81], [1, 1, 1, 0, 0])
    two = write_pairs(made, "two", [0.72, 0.99, 0.71, 0.78], [1, 1, 0, 0])
    block = outer("cosines", dataset="qqp", panels=[panel("a", one), panel("b", two)])
    made.draw(block)
    found = made.rows("figure-cosines.tsv")
    shares = {
        (row["panel"], row["series"], row["x"][:5]): float(row["y"])
        for row in found
        if row["y"] and float(row["y"])
    }
    third, positive = 100 / 3, "positive"
    expected = {("a", positive, "0.925"): 2 * third, ("a", positive, "0.975"): third}
    expected |= {("a", "negative", "0.825"): 100}
    expected |= {("b", positive, x): 50 for x in ("0.725", "0.975")}
    expected |= {("b", "negative", x): 50 for x in ("0.725", "0.775")}
    assert shares == pytest.approx(expected, abs=1e-5)
    medians = {(r["panel"], r["series"]): float(r["x"]) for r in found if not r["y"]}
    expected = {("a", positive): 0.92, ("a", "negative"): 0.82}
    expected |= {("b", positive): 0.855, ("b", "negative"): 0.745}
    assert medians == pytest.approx({(p, f"median of {c}"): x for (p, c), x in expected.items()})


def test_the_first_seed_is_drawn_and_all_panels_share_bins(made):
    block = cosines_block(made)
    made.draw(block)
    found = [row for row in made.rows("figure-cosines.tsv") if row["y"]]
    bins: dict[str, list[str]] = {"cls": [], "mean": [], "mirror": []}
    for row in found:
        if row["series"] == "positive":
            bins[row["panel"]].append(row["x"])
    assert bins["cls"] == bins["mean"] == bins["mirror"]
    assert made.rows("cells/figure-cosines.tsv") == []
    note = made.output("figure-cosines.md")
    for words in ("first seed", "This figure has no published numbers", "- RoBERTa: no R"):
        assert words in note
    drawn = made.output("figure-cosines.tsv")
    for entry in block["panels"][:3]:
        del entry["parts"][0]["scores"][1:]
    made.draw(block)
    assert made.output("figure-cosines.tsv") == drawn
