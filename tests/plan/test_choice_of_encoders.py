"""Which encoders keep their weights: those of `keep_encoders`, and what it would cost more."""

import pytest
from plans import plan_of

from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.errors import UserError
from workflow_scripts.plan.encoders import Encoder
from workflow_scripts.plan.plan import Plan
from workflow_scripts.plan.requirements import keeps_weights
from workflow_scripts.plan.typed import read_typed

WORD, SENTENCE = (
    Encoder("bert-en", recipe, corpus, 33)
    for recipe, corpus in (("mirror-word", "words-en"), ("mirror-sentence", "sentences-en"))
)
ROWS = [
    {"id": encoder.recipe, "label": "a", "model": encoder.model, "recipe": encoder.recipe}
    | {"corpus": encoder.corpus}
    for encoder in (WORD, SENTENCE)
]
COLUMNS = [{"id": "sts12", "label": "STS12", "dataset": "sts12"}]


@pytest.fixture
def config(small_config):
    small_config["tables"] = {"table": {"title": "Table", "rows": ROWS, "columns": COLUMNS}}
    return small_config


def kept_of(plan, encoders):
    return [one for one in encoders if keeps_weights(plan.typed, plan.required.encoders, one)]


def kept(config):
    return kept_of(plan_of(config), (WORD, SENTENCE))


def test_the_config_chooses_by_recipe(config):
    # without a choice all stay
    assert kept(config) == [WORD, SENTENCE]
    choices = (("all", [WORD, SENTENCE]), ("none", []), (["mirror-sentence"], [SENTENCE]))
    for choice, encoders in choices:
        config["keep_encoders"] = choice
        assert kept(config) == encoders


def test_what_another_encoder_of_a_table_starts_from_stays(config):
    config["keep_encoders"] = "none"
    start = {"recipe": "mirror-word", "corpus": "words-en"}
    config["recipes"]["mirror-sentence"]["start"] = start
    assert kept(config) == [WORD]
    # of another corpus it is not started from
    start["corpus"] = "words-fr"
    assert kept(config) == []


def test_an_encoder_of_a_dictionary_stays(config):
    config["keep_encoders"] = "none"
    dictionary = {"names": {"own": {"path": "names.tsv"}}, "shards": 1, "mentions": "m.txt"}
    dictionary["encoder"] = {"model": "bert-en", "recipe": "mirror-word", "corpus": "words-en"}
    config["dictionaries"] = {"own": dictionary}
    assert kept(config) == [WORD]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (["mirror-wort"], "`keep_encoders` is `mirror-wort`, which is not in `recipes`; did you"),
        (["base-mp"], "`keep_encoders` has `base-mp`, which tunes nothing; remove it"),
        ("some", "`keep_encoders` is 'some'; use all, none or a list of recipes"),
        ([], "`keep_encoders` is []; use all, none or a list of recipes"),
        ([["mirror-word"]], "`keep_encoders.0` is ['mirror-word']; give text"),
    ],
)
def test_another_choice_is_one_line_that_names_the_key(config, choice, message):
    config["keep_encoders"] = choice
    with pytest.raises(UserError) as error:
        plan_of(config)
    assert message in str(error.value) and "\n" not in str(error.value)


OWN = """
recipes:
  mine: {like: mirror-word, temperature: 0.1}
  mirror-word: {temperature: 0.3}
"""


@pytest.mark.parametrize(
    ("more", "added"), [("", {"mine"}), ("keep_encoders: none\n", set())], ids=["shipped", "own"]
)
def test_recipes_of_one_s_own_stay_unless_one_s_own_config_chooses(tmp_path, more, added):
    """A recipe whose keys are changed is still the shipped one."""
    (tmp_path / "own.yaml").write_text(OWN + more)
    layers = read_layers([tmp_path / "own.yaml"])
    assert read_typed(layers).added_recipes == added
    mine = Encoder("bert-en", "mine", "words-en", 33)
    encoders = [mine, mine._replace(recipe="mirror-word")]
    assert kept_of(Plan(layers), encoders) == [mine] * len(added)
