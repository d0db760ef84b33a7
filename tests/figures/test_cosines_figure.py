"""Histograms of cosines."""

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_inputs import MadeFigure, cosines_block, outer

from workflow_scripts.figures.cosines import bin_edges, histogram
from workflow_scripts.figures.draw_figure import main
from workflow_scripts.scoring.details import write_details


def write_pairs(made: MadeFigure, name: str, cosines: list[float], labels: list[int]) -> str:
    path = made.file(f"{name}.npz", "--details")
    arrays = {"cosines/qqp": np.float32(cosines), "labels/qqp": np.int8(labels)}
    write_details(path, arrays)
    return path


def rows_of(made: MadeFigure, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(made.output(name).splitlines(), delimiter="\t"))


def panel(name: str, *details: str) -> dict[str, object]:
    return {"id": name, "label": name.upper(), "details": [*details]}


@settings(deadline=None)
@given(
    st.lists(st.floats(-1, 1, allow_nan=False), min_size=1, max_size=50),
    st.sampled_from([0.02, 0.05]),
)
def test_every_cosine_has_a_bin(values: list[float], width: float) -> None:
    cosines = np.array(values)
    edges = bin_edges([cosines], width)
    assert histogram(cosines, edges).shares.sum() == pytest.approx(100)
    assert np.allclose(np.diff(edges), width)
    assert np.allclose(edges / width, np.round(edges / width))
    # no more than a bin beyond the data at either end
    assert edges[0] > cosines.min() - width - 1e-6 and edges[-1] < cosines.max() + width + 1e-6


def test_shares_and_medians_by_hand(made: MadeFigure) -> None:
    """Bins of .05, since there are few pairs; the range is that of both panels together."""
    one = write_pairs(made, "one", [0.91, 0.92, 0.98, 0.83, 0.81], [1, 1, 1, 0, 0])
    two = write_pairs(made, "two", [0.72, 0.99, 0.71, 0.78], [1, 1, 0, 0])
    block = outer("cosines", dataset="qqp", panels=[panel("a", one), panel("b", two)])
    main(made.arguments(block))
    found = rows_of(made, "figure-cosines.tsv")
    shares = {
        (row["panel"], row["series"], row["x"][:5]): float(row["y"])
        for row in found
        if row["y"] and float(row["y"])
    }
    assert shares == {
        ("a", "positive", "0.925"): pytest.approx(200 / 3, abs=1e-5),
        ("a", "positive", "0.975"): pytest.approx(100 / 3, abs=1e-5),
        ("a", "negative", "0.825"): 100,
        ("b", "positive", "0.725"): 50,
        ("b", "positive", "0.975"): 50,
        ("b", "negative", "0.725"): 50,
        ("b", "negative", "0.775"): 50,
    }
    medians = {(r["panel"], r["series"]): float(r["x"]) for r in found if not r["y"]}
    assert medians == {
        ("a", "median of positive"): pytest.approx(0.92),
        ("a", "median of negative"): pytest.approx(0.82),
        ("b", "median of positive"): pytest.approx(0.855),
        ("b", "median of negative"): pytest.approx(0.745),
    }
    assert "3 positive and 2 negative" in made.output("figure-cosines.md")


def test_cosines_just_beyond_one_are_in_the_last_bin(made: MadeFigure) -> None:
    path = write_pairs(made, "one", [1.0000001, 0.96, 0.97, 0.99], [1, 1, 0, 0])
    main(made.arguments(outer("cosines", dataset="qqp", panels=[panel("a", path)])))
    bins = [row for row in rows_of(made, "figure-cosines.tsv") if row["y"]]
    assert [(row["x"][:5], row["y"]) for row in bins] == [("0.975", "100.000000")] * 2


def test_the_first_seed_is_drawn_and_all_panels_share_bins(made: MadeFigure) -> None:
    block = cosines_block(made)
    main(made.arguments(block))
    found = [row for row in rows_of(made, "figure-cosines.tsv") if row["y"]]
    by_panel = {
        name: [row["x"] for row in found if (row["panel"], row["series"]) == (name, "positive")]
        for name in ("cls", "mean", "mirror")
    }
    assert by_panel["cls"] == by_panel["mean"] == by_panel["mirror"]
    assert "first seed" in made.output("figure-cosines.md")
    drawn = made.output("figure-cosines.tsv")
    for entry in block["panels"][:3]:
        entry["details"] = entry["details"][:1]
    main(made.arguments(block))
    assert made.output("figure-cosines.tsv") == drawn


def test_the_paper_prints_no_value_of_it(made: MadeFigure) -> None:
    main(made.arguments(cosines_block(made)))
    assert rows_of(made, "cells/figure-cosines.tsv") == []
    note = made.output("figure-cosines.md")
    assert "The paper prints no numbers for this figure" in note
    assert "- RoBERTa: no RoBERTa." in note
