"""Histograms of cosines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_inputs import cosines_block, outer
from result_files import part

from workflow_scripts.figures.kinds.cosines import bin_edges, histogram
from workflow_scripts.scoring.bootstrap_replicates import write_replicates


def panel(made, name, cosines, labels):
    """Return a panel of pairs, whose details are written."""
    arrays = {"cosines/qqp": np.float32(cosines), "labels/qqp": np.int8(labels)}
    write_replicates(made.file(f"{name}.npz"), arrays)
    return {"id": name, "label": name, "parts": [part("qqp", made.file(f"{name}.tsv"))]}


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
    panels = [
        panel(made, "a", [0.91, 0.92, 0.98, 0.83, 0.81], [1, 1, 1, 0, 0]),
        panel(made, "b", [0.72, 0.99, 0.71, 0.78], [1, 1, 0, 0]),
    ]
    made.draw(outer("cosines", dataset="qqp", panels=panels))
    rows = made.rows("figure-cosines.tsv")
    shares = {
        (row["panel"], row["series"], row["x"][:5]): float(row["y"])
        for row in rows
        if row["y"] and float(row["y"])
    }
    assert shares == pytest.approx(
        {
            ("a", "positive", "0.925"): 200 / 3,
            ("a", "positive", "0.975"): 100 / 3,
            ("a", "negative", "0.825"): 100,
            **{("b", "positive", x): 50 for x in ("0.725", "0.975")},
            **{("b", "negative", x): 50 for x in ("0.725", "0.775")},
        },
        abs=1e-5,
    )
    medians = {f"{r['panel']}, {r['series']}": float(r["x"]) for r in rows if not r["y"]}
    expected = {"a": (0.92, 0.82), "b": (0.855, 0.745)}
    assert medians == pytest.approx(
        {
            f"{name}, median of {series}": median
            for name, pair in expected.items()
            for series, median in zip(("positive", "negative"), pair, strict=True)
        }
    )


def test_the_first_seed_is_drawn_and_all_panels_share_bins(made):
    block = cosines_block(made)
    made.draw(block)
    bins = {
        name: [
            row["x"]
            for row in made.rows("figure-cosines.tsv")
            if (row["panel"], row["series"]) == (name, "positive")
        ]
        for name in ("cls", "mean", "mirror")
    }
    assert bins["cls"] == bins["mean"] == bins["mirror"] != []
    assert made.rows("cells/figure-cosines.tsv") == []
    note = made.output("figure-cosines.md")
    for words in ("first seed", "This figure has no published numbers", "- RoBERTa: no R"):
        assert words in note
    drawn = made.output("figure-cosines.tsv")
    for entry in block["panels"][:3]:
        del entry["parts"][0]["scores"][1:]
    made.draw(block)
    assert made.output("figure-cosines.tsv") == drawn
