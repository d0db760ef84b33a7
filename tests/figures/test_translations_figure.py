"""Translations in two dimensions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_inputs import translations_block

from workflow_scripts.errors import UserError
from workflow_scripts.figures.kinds.translations import project

NAME = "figure-translations"


def sides_of(seed, pairs, dimension=6):
    generator = np.random.default_rng(seed)
    sides = generator.normal(size=(2, pairs, dimension))
    sides[0] += 3
    return np.float32(sides)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(3, 40), st.integers(2, 50))
def test_the_plane_is_that_of_the_two_largest_singular_values(seed, pairs, shown):
    """The oracle: numpy's decomposition of what is left of both sides without their mean."""
    sides = sides_of(seed, pairs)
    found = project(sides, "pca", shown)
    centred = np.concatenate(sides).astype(np.float64)
    centred -= centred.mean(axis=0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    places = (left * values)[:, :2].reshape(2, pairs, 2)[:, found.rows]
    # an axis may point either way
    np.testing.assert_allclose(np.abs(found.places), np.abs(places), atol=1e-5)
    assert found.in_plane == pytest.approx((values[:2] ** 2).sum() / (values**2).sum())
    total = sum(float(one @ one) for one in centred)
    gap = centred[:pairs].mean(axis=0) - centred[pairs:].mean(axis=0)
    assert found.between == pytest.approx(pairs / 2 * float(gap @ gap) / total)
    assert len(found.rows) == len({*found.rows}) == min(pairs, shown)
    assert found.rows[0] == 0 and (found.rows[-1] == pairs - 1)


def test_t_sne_keeps_groups_of_a_few_points_apart_and_is_the_same_each_time():
    generator = np.random.default_rng(0)
    middles = np.repeat(20 * generator.normal(size=(2, 1, 6)), 10, axis=1)
    sides = np.float32(middles + generator.normal(size=(2, 10, 6)))
    found, again = (project(sides, "tsne", 10) for _ in range(2))
    assert found.in_plane is None
    spread = np.ptp(found.places, axis=1).max()
    assert np.abs(np.subtract(*found.places.mean(axis=1))).max() > spread / 2
    np.testing.assert_array_equal(found.places, again.places)
    # sides in one place have nothing between them
    assert project(sides[[0, 0]], "pca", 5).between == pytest.approx(0)


def test_the_tsv_names_sides_and_lines_and_the_note_what_was_measured(made):
    block = translations_block(made)
    made.draw(block)
    rows = made.rows(f"{NAME}.tsv")
    assert {row["panel"]: None for row in rows} == dict.fromkeys(
        ["mbert/fr", "mbert/ru", "ours/fr"]
    )
    plane = project(np.load(made.file("ours.npy")).reshape(2, 40, 8), "pca", 15)
    drawn = {r["series"]: (float(r["x"]), float(r["y"])) for r in rows if r["panel"] == "ours/fr"}
    assert drawn == {
        f"{side} {row + 1}": pytest.approx(tuple(place), abs=1e-5)
        for side, places in zip(("left", "right"), plane.places, strict=True)
        for row, place in zip(plane.rows, places, strict=True)
    }
    note = made.output(f"{NAME}.md")
    assert "| CMLM+BR, French | 40 | 15 | ." in note and "- CMLM+BR, Russian: none." in note
    made.draw(block | {"method": "tsne", "pairs": 100})
    assert "| CMLM+BR, French | 40 | 40 | – | ." in made.output(f"{NAME}.md").replace("—", "–")


@pytest.mark.parametrize("method", ["pca", "tsne"])
def test_vectors_that_are_all_equal_are_refused_and_nothing_is_drawn(made, method):
    block = translations_block(made, method=method)
    np.save(made.file("ours.npy"), np.ones((80, 8), dtype=np.float32))
    with pytest.raises(UserError, match=r"ours\.npy, data set fr: all 80 vectors are equal"):
        made.draw(block)
    assert not list(made.folder.glob("out/*"))
