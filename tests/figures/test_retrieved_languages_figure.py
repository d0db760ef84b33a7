"""Languages of what is retrieved."""

import pytest
from made_inputs import languages_block, own_of

from workflow_scripts.errors import UserError
from workflow_scripts.figures.kinds.register import read_figure
from workflow_scripts.figures.kinds.retrieved_languages import requested_cells, shares_of
from workflow_scripts.scoring.tidy_scores import Score, read_scores, write_scores

SIZES = {"de": 10, "en": 20, "zh": 71}
NAME = "figure-retrieved-languages"
BLOCK = {
    **{"kind": "retrieved-languages", "title": "T", "caption": "C", "dataset": "pool"},
    **{"rows": [{"id": "a", "label": "A", "model": "m", "recipe": "r"}]},
}


def score(metric, value, seed=33, n=7):
    return Score("m", "r", "c", seed, "pool", "dev", metric, value, None, None, n, 1.0)


def test_shares_are_means_over_seeds_of_one_k_with_or_without_components():
    scores = [
        *(score("share@1/de/en", value, seed) for value, seed in ((0.2, 33), (0.4, 44))),
        *(score("share@1/de/de", 0.7, seed) for seed in (33, 44)),
        *(score(f"share{one}/de/en", 0.99) for one in ("@10", "@100", "_pcr@1")),
        *(score(one, 0.5) for one in ("own_language@1", "own_language_expected")),
    ]
    found = shares_of(scores, "own_language@1")
    assert found.shares == {"de": {"en": pytest.approx(0.3), "de": pytest.approx(0.7)}}
    assert found.queries == {"de": 7}
    assert shares_of(scores, "own_language_pcr@1").shares == {"de": {"en": 0.99}}


def test_every_share_is_in_the_tsv_with_what_is_expected_by_chance(made):
    made.draw(languages_block(made, SIZES))
    rows = made.rows(f"{NAME}.tsv")
    expected = {row["series"]: float(row["y"]) for row in rows if row["panel"] == "expected"}
    assert expected == pytest.approx({"de": 9 / 100, "en": 19 / 100, "zh": 70 / 100}, abs=1e-6)
    for panel, own in (("mbert", 0.8), ("mbert/pcr", 0.2), ("ours", 0.5), ("ours/pcr", 0.2)):
        found = {(r["series"], r["x"]): float(r["y"]) for r in rows if r["panel"] == panel}
        rest = (1 - own) / 2
        assert found == {
            (query, other): pytest.approx(own if query == other else rest)
            for query in SIZES
            for other in SIZES
        }
    note = made.output(f"{NAME}.md")
    by_chance = (10 * 9 + 20 * 19 + 71 * 70) / (101 * 100)
    assert "| mBERT + PCR | .200 | .1" in note and f"| {by_chance:.3f}".replace("0.", ".") in note
    assert "de 10, en 20, zh 71" in note and "- XLM: no XLM." in note


def test_languages_that_are_shown_can_be_chosen_and_an_unknown_one_is_named(made):
    block = languages_block(made, SIZES)
    made.draw(block | {"languages": ["zh", "de"]})
    rows = made.rows(f"{NAME}.tsv")
    assert list(dict.fromkeys(row["series"] for row in rows)) == ["zh", "de"]
    assert {row["x"] for row in rows} == {*SIZES}
    with pytest.raises(UserError, match="no query of language 'fi' in pool, which has de, en, zh"):
        made.draw(block | {"languages": ["de", "fi"]})
    # scores without shares, of another pool
    path = block["columns"][0]["parts"][0]["scores"][0]
    write_scores(path, [one for one in read_scores(path) if one.metric == own_of("")])
    with pytest.raises(UserError, match="which has none"):
        made.draw(block | {"languages": ["de"]})


@pytest.mark.parametrize(("changes", "k"), [({}, 10), ({"neighbours": 100}, 100)])
def test_an_encoder_has_two_columns_each_with_its_metric(changes, k):
    cells = requested_cells(read_figure("f", BLOCK | changes))
    assert [(cell["id"], cell["label"], cell["metric"]) for cell in cells] == [
        ("a", "A", f"own_language@{k}"),
        ("a/pcr", "A + PCR", f"own_language_pcr@{k}"),
    ]


@pytest.mark.parametrize(
    "mistake", [{"neighbours": 5}, {"languages": []}, {"languages": ["de", "de"]}]
)
def test_a_mistake_names_its_key(mistake):
    with pytest.raises(UserError, match=next(iter(mistake))):
        read_figure("f", BLOCK | mistake)
