"""ROC curves: their points and areas."""

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


def curve_of(name, **more):
    return {
        "id": name,
        "label": name.upper(),
        "differences_from_paper": [],
        "tolerance": 0.01,
    } | more


def roc_of(*curves):
    return outer("roc", dataset="qnli", curves=[*curves])


def details_of(curve):
    return [path.replace(".tsv", ".npz") for path in curve["parts"][0]["scores"]]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=2, max_size=60))
def test_corners_draw_the_curve_of_scikit_learn(pairs):
    """Every point of the full curve is a corner or lies between two corners."""
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
    files = made.pairs("a", (55, 33), 0.5)
    made.draw(roc_of(curve_of("a", **files)))
    details = read_replicates(details_of(files)[0])
    labels, cosines = details["labels/qnli"], details["cosines/qnli"]
    false, true, _ = sklearn_roc_curve(labels, cosines, drop_intermediate=False)
    found = made.rows("figure-roc.tsv")
    assert {(row["panel"], row["series"]) for row in found} == {("qnli", "a")}
    points = np.array([(row["x"], row["y"]) for row in found], dtype=float)
    full = {(round(x, 6), round(y, 6)) for x, y in zip(false, true, strict=True)}
    assert {tuple(point) for point in points} <= full
    area = pytest.approx(roc_auc_score(labels, cosines), abs=1e-5)
    assert np.trapezoid(points[:, 1], points[:, 0]) == area
    assert "Each curve is that of one run: seed 55, the first." in made.output("figure-roc.md")


def test_area_is_the_mean_over_seeds_with_its_interval(made):
    files = made.pairs("a", (1, 2, 3), 0.5)
    made.draw(roc_of(curve_of("a", **files)))
    arrays = [read_replicates(path) for path in details_of(files)]
    areas = [roc_auc_score(one["labels/qnli"], one["cosines/qnli"]) for one in arrays]
    means = np.mean([one["replicates/qnli/auc"] for one in arrays], axis=0)
    (cell,) = made.rows("cells/figure-roc.tsv")
    assert (cell["table"], cell["row"], cell["column"]) == ("figure-roc", "a", "auc")
    expected = [np.mean(areas), np.std(areas, ddof=1), *np.percentile(means, [2.5, 97.5])]
    values = [float(cell[name]) for name in ("mean", "sd", "low", "high")]
    assert values == pytest.approx(expected, abs=2e-6)
    assert (cell["seeds"], cell["status"]) == ("3", "no-published")
    legend = f"A: {expected[0]:.3f} ± {expected[1]:.3f}".replace("0.", ".")
    assert legend in made.output("figure-roc.svg")


@pytest.mark.parametrize(
    ("seeds", "title"), [((1, 2), "AUC (mean ± deviation over seeds)"), ((1,), "AUC")]
)
def test_the_legend_names_a_deviation_only_where_there_is_one(made, seeds, title):
    made.draw(roc_of(curve_of("a", **made.pairs("a", seeds, 0.5))))
    svg = made.output("figure-roc.svg")
    assert f">{title}</text>" in svg


def test_status_beside_the_published_values(made):
    files = {name: made.pairs(name, (1,), 0.5) for name in ("in", "out", "other", "new")}
    area = float(made_area(files["in"]))
    reference = made.folder / "figure04.tsv"
    lines = ["table\trow\tcolumn\tvalue", f"figure04\tin\tauc\t{area:.3f}"]
    lines += ["figure04\tout\tauc\t.999", "figure04\tother\tauc\t.7", "figure04\tnone\tauc\t.6"]
    reference.write_text("\n".join(lines) + "\n")
    curves = [curve_of(name, **files[name]) for name in ("in", "out", "other", "new")]
    curves[2]["differences_from_paper"] = ["small model", "other data"]
    curves.append({"id": "none", "label": "None", "not_run": "no vectors"})
    made.draw(roc_of(*curves) | {"reference": str(reference)})
    cells = {row["row"]: row for row in made.rows("cells/figure-roc.tsv")}
    statuses = ("inside", "outside", "not-comparable", "no-published", "not-run")
    expected = dict(zip(("in", "out", "other", "new", "none"), statuses, strict=True))
    assert {name: cell["status"] for name, cell in cells.items()} == expected
    assert cells["none"]["reason"] == "no vectors"
    assert cells["other"]["difference"] == ""
    note = made.output("figure-roc.md")
    assert "IN: paper " in note and "difference (ours minus the paper's) .000, within" in note
    assert "OUT: paper .999" in note and "outside the tolerance of .01" in note
    assert "OTHER: not comparable with the paper, not a reproduction: small model; other" in note
    assert "NEW: the paper prints no value for it." in note
    assert "- None: no vectors." in note
    assert "None" not in made.output("figure-roc.svg")


def made_area(files):
    details = read_replicates(details_of(files)[0])
    return roc_auc_score(details["labels/qnli"], details["cosines/qnli"])


def test_cosines_of_another_run_or_task_are_refused(made):
    files = made.pairs("a", (1,), 0.5)
    (path,) = details_of(files)
    arrays = read_replicates(path)
    arrays["labels/qnli"] = 1 - arrays["labels/qnli"]
    for found, message in (
        (arrays, r"a-seed1\.tsv: its AUC is .* but the cosines"),
        ({"replicates/qnli/auc": np.ones(9)}, "no cosines and labels of dataset `qnli`"),
    ):
        write_replicates(path, found)
        with pytest.raises(UserError, match=message):
            made.draw(roc_of(curve_of("a", **files)))
    write_replicates(path, {**arrays, "labels/qnli": 1 - arrays["labels/qnli"]})
    scores = Path(files["parts"][0]["scores"][0])
    scores.write_text(scores.read_text().partition("\n")[0] + "\n")
    with pytest.raises(UserError, match=r"a-seed1\.tsv: damaged .*; remove it"):
        made.draw(roc_of(curve_of("a", **files)))
    assert not (made.folder / "out").exists()
