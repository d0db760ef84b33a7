"""The table of all methods side by side: all tune the same model on the same, for as long."""

import pytest
from plans import plan_of

from workflow_scripts.configuration.layers import read_layers

# sentences: of the bundled text, and of the whole documents that are drawn for 8,000
SENTENCES = {"methods": 577, "methods_real": 8006}
METHODS = {"none", "mirror", "simcse", "tsdae", "cmlm", "quickthought", "mlm"}


@pytest.mark.parametrize("name", SENTENCES)
def test_methods_differ_in_nothing_else(name, project, monkeypatch):
    monkeypatch.chdir(project)
    plan = plan_of(read_layers([project / "config" / f"{name}.yaml"]).config)
    block = plan.typed.tables["methods"]
    recipes = [plan.typed.recipes[row.recipe] for row in block.rows]
    assert {recipe.method for recipe in recipes} == METHODS and len(recipes) == len(METHODS)
    assert {row.model for row in block.rows} == {"bert-en"}
    assert {row.corpus for row in block.rows if row.against} == {"text-en"}
    assert [row.id for row in block.rows if not row.against] == ["untuned"]
    assert len({(recipe.pooling, recipe.embed_max_length) for recipe in recipes}) == 1
    tuned = [recipe for recipe in recipes if recipe.tunes]
    same = ("batch_size", "max_length", "schedule", "warmup", "optimiser", "dropout")
    for key in (*same, "weight_decay", "max_gradient_norm"):
        assert len({getattr(recipe, key) for recipe in tuned}) == 1, key
    count = SENTENCES[name]
    steps = {
        getattr(recipe, "steps", None) or recipe.epochs * (count // recipe.batch_size)
        for recipe in tuned
    }
    assert len(steps) == 1
