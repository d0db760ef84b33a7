"""ROC curves: their points and areas."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_inputs import outer
from sklearn.metrics import roc_auc_score
from sklearn.metrics import roc_curve as sklearn_roc_curve

from workflow_scripts.errors import UserError
from workflow_scripts.figures.kinds.roc import corners, roc_curve
from workflow_scripts.scoring.bootstrap_replicates import read_replicates, write_replicates


def roc_of(curves, **more):
    """Return a block of curves; their entries by id."""
    known = {"differences_from_paper": [], "tolerance": 0.01}
    entries = [{"id": name, "label": name.upper()} | known | own for name, own in curves.items()]
    return outer("roc", dataset="qnli", curves=entries) | more


def details_of(curve):
    return [path.replace(".tsv", ".npz") for path in curve["parts"][0]["scores"]]


def pairs_of(curve):
    """Return labels and cosines of the pairs of each seed."""
    arrays = map(read_replicates, details_of(curve))
    return [(of_seed["labels/qnli"], of_seed["cosines/qnli"]) for of_seed in arrays]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=2, max_size=60))
def test_corners_draw_the_curve_of_scikit_learn(pairs):
    """Every point of the full curve is a corner or is between two corners."""
    scores = np.array([score / 7 for score, _ in pairs])
    labels = np.array([label for _, label in pairs], dtype=int)
    if len(set(labels)) < 2:
        return
    full = np.column_stack(sklearn_roc_curve(labels, scores, drop_intermediate=False)[:2])
    found = np.column_stack(corners(*roc_curve(scores, labels)))
    starts, steps = found[:-1], np.diff(found, axis=0)
    for point in full:
        along = np.einsum("ij,ij->i", point - starts, steps) / (steps**2).sum(axis=1)
        nearest = starts + steps * np.clip(along, 0, 1)[:, None]
        assert np.linalg.norm(nearest - point, axis=1).min() < 1e-9
    # and no corner is on the line between its neighbours
    turns = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
    assert (np.abs(turns) > 0).all() or len(found) == 2


def test_the_drawn_curve_is_that_of_the_first_seed(made):
    """In the order of the block, not by number."""
    curve = made.pairs("a", (55, 33), 0.5)
    made.draw(roc_of({"a": curve}))
    labels, cosines = pairs_of(curve)[0]
    false, true, _ = sklearn_roc_curve(labels, cosines, drop_intermediate=False)
    rows = made.rows("figure-roc.tsv")
    assert {(row["panel"], row["series"]) for row in rows} == {("qnli", "a")}
    points = np.array([(row["x"], row["y"]) for row in rows], dtype=float)
    full = {(round(x, 6), round(y, 6)) for x, y in zip(false, true, strict=True)}
    assert {tuple(point) for point in points} <= full
    area = pytest.approx(roc_auc_score(labels, cosines), abs=1e-5)
    assert np.trapezoid(points[:, 1], points[:, 0]) == area
    assert "Each curve is that of one run: seed 55, the first." in made.output("figure-roc.md")


@pytest.mark.parametrize(
    ("seeds", "title"), [((1, 2, 3), "AUC (mean ± deviation over seeds)"), ((1,), "AUC")]
)
def test_the_area_is_the_mean_over_seeds_with_a_deviation_where_there_is_one(made, seeds, title):
    curve = made.pairs("a", seeds, 0.5)
    made.draw(roc_of({"a": curve}))
    areas = [roc_auc_score(labels, cosines) for labels, cosines in pairs_of(curve)]
    (cell,) = made.rows("cells/figure-roc.tsv")
    assert float(cell["mean"]) == pytest.approx(np.mean(areas), abs=2e-6)
    assert (cell["row"], cell["column"], cell["seeds"]) == ("a", "auc", f"{len(seeds)}")
    assert cell["status"] == "no-published"
    replicates = [read_replicates(path)["replicates/qnli/auc"] for path in details_of(curve)]
    ends = np.percentile(np.mean(replicates, axis=0), [2.5, 97.5])
    assert [float(cell["low"]), float(cell["high"])] == pytest.approx(ends, abs=2e-6)
    deviation = f" ± {np.std(areas, ddof=1):.3f}" if len(seeds) > 1 else ""
    legend = f"A: {np.mean(areas):.3f}{deviation}".replace("0.", ".")
    svg = made.output("figure-roc.svg")
    assert re.search(rf">\s*{re.escape(legend)}\s*</text>", svg) and f">{title}</text>" in svg


def test_status_beside_the_published_values(made):
    curves = {name: made.pairs(name, (1,), 0.5) for name in ("in", "out", "other", "new")}
    area = roc_auc_score(*pairs_of(curves["in"])[0])
    published = {"in": f"{area:.3f}", "out": ".999", "other": ".7", "none": ".6"}
    reference = made.published("figure04", {(name, "auc"): v for name, v in published.items()})
    curves["other"]["differences_from_paper"] = ["small model", "other data"]
    curves["none"] = {"not_run": "no vectors"}
    made.draw(roc_of(curves, reference=reference))
    cells = {
        row["row"]: (row["status"], row["reason"]) for row in made.rows("cells/figure-roc.tsv")
    }
    assert cells == {
        **{"in": ("inside", ""), "out": ("outside", ""), "new": ("no-published", "")},
        "other": ("not-comparable", "small model | other data"),
        "none": ("not-run", "no vectors"),
    }
    note = made.output("figure-roc.md")
    for sentence in (
        "IN: paper ",
        "difference (ours minus the paper's) .000, within",
        "OUT: paper .999",
        "outside the tolerance of .01",
        "OTHER: not comparable with the paper, not a reproduction: small model; other",
        "NEW: the paper prints no value for it.",
        "- NONE: no vectors.",
    ):
        assert sentence in note
    assert "NONE" not in made.output("figure-roc.svg")


def test_cosines_of_another_run_or_task_are_refused(made):
    curve = made.pairs("a", (1,), 0.5)
    (path,) = details_of(curve)
    arrays, scores = read_replicates(path), Path(path.replace(".npz", ".tsv"))
    turned = arrays | {"labels/qnli": 1 - arrays["labels/qnli"]}
    text = scores.read_text()
    for details, content, message in (
        (turned, text, r"a-seed1\.tsv: its AUC is .* but the cosines"),
        ({"replicates/qnli/auc": np.ones(9)}, text, "no cosines and labels of dataset `qnli`"),
        (arrays, text.partition("\n")[0] + "\n", r"a-seed1\.tsv: damaged .*; remove it"),
    ):
        write_replicates(path, details)
        scores.write_text(content)
        with pytest.raises(UserError, match=message):
            made.draw(roc_of({"a": curve}))
    assert not (made.folder / "out").exists()
