"""Recipes: what is accepted, what is refused, and with which words."""

import subprocess
import sys

import pytest
import yaml

from workflow_scripts import plugins
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.methods import mirror
from workflow_scripts.tuning.methods.cmlm import Bitext
from workflow_scripts.tuning.methods.register import METHODS, read_recipe, read_recipe_blocks
from workflow_scripts.tuning.recipe import Start, resolve_likes, tuning_recipe_of
from workflow_scripts.tuning.span_masking import SpanMasking

MIRROR = {"method": "mirror", "pooling": "cls", "embed_max_length": 25}
MIRROR |= {"max_length": 25, "epochs": 2, "temperature": 0.2}
NONE = {"method": "none", "pooling": "mean", "embed_max_length": 64}
WATCHED = {"dataset": "d", "every": 3}


@pytest.fixture(scope="module")
def shipped(project):
    """The recipes of config/recipes.yaml by their names."""
    blocks = read_recipe_blocks(project / "config" / "recipes.yaml")
    return {name: read_recipe(name, block) for name, block in blocks.items()}


def of_method(method, recipes):
    return {name: recipe for name, recipe in recipes.items() if recipe.method == method}


def but(recipe, **changes):
    return recipe.model_copy(update=changes)


def test_shipped_recipes_hold_the_papers_values(shipped):
    common = {"method": "mirror", "batch_size": 200, "learning_rate": 2e-5, "weight_decay": 0.01}
    common |= {"dropout": 0.1, "loss_denominator": "with_positive", "temperature": 0.04}
    spans = {n: SpanMasking(length=n, place="first_occurrence") for n in (2, 5, 10, 15, 20)}
    short = {"pooling": "cls", "max_length": 25, "embed_max_length": 25, "epochs": 2}
    phrase = mirror.Choices(**common, **short, span_masking=spans[2])
    word = but(phrase, temperature=0.2, span_masking=None)
    long = {"pooling": "mean_padded", "max_length": 50, "embed_max_length": 64, "epochs": 1}
    sentence = mirror.Choices(**common, **long, span_masking=spans[5])
    expected = {"mirror-word": word, "mirror-phrase": phrase}
    # Tables 9 and 10
    expected["mirror-word-no-augmentation"] = but(word, dropout=0.0)
    expected["mirror-phrase-no-augmentation"] = but(phrase, dropout=0.0, span_masking=None)
    expected["mirror-word-lr-5e-5"] = but(word, learning_rate=5e-5)
    # Tables 3, 7, 12, 13 and 20
    for name, pooling, rate in (("", "mean_padded", 0.2), ("-cls", "cls", 0.05)):
        name = f"mirror-sentence{name}"
        expected[name] = one = but(sentence, pooling=pooling)
        expected[f"{name}-drophead"] = but(one, dropout=0.0, drophead=rate)
        expected[f"{name}-no-dropout"] = but(one, dropout=0.0)
        expected[f"{name}-no-masking"] = but(one, span_masking=None)
        expected[f"{name}-no-augmentation"] = but(one, dropout=0.0, span_masking=None)
        for rate in (0.05, 0.2, 0.3, 0.4):
            expected[f"{name}-dropout-{rate}"] = but(one, dropout=rate)
        for length in (2, 10, 15, 20):
            expected[f"{name}-masking-{length}"] = but(one, span_masking=spans[length])
    # Table 8
    plain = expected["mirror-sentence-cls-no-masking"]
    expected["mirror-sentence-cls-controlled-dropout"] = but(plain, controlled_dropout=True)
    # of no paper: Mirror tuning after CMLM
    start = Start(recipe="cmlm", corpus="text-en")
    after = expected["cmlm-mirror"] = but(sentence, pooling="mean", start=start)
    start = Start(recipe="cmlm-s3", corpus="text-multi")
    expected["cmlm-s3-mirror"] = but(after, start=start)
    assert of_method("mirror", shipped) == expected


def test_models_are_embedded_as_in_the_papers(shipped):
    recipes = of_method("none", shipped)
    expected = {"base-cls": ("cls", 64), "base-mp": ("mean", 64)}
    expected |= {"base-mp-padded": ("mean_padded", 64)}
    expected |= {"base-cls-names": ("cls", 25), "base-mp-names": ("mean", 25)}
    # CMLM's tables
    expected |= {f"senteval-{pooling}": (pooling, 128) for pooling in ("mean", "max", "cls")}
    expected |= {"xlnet-mean": ("mean", 128), "glove-mean": ("mean", 64)}
    expected |= {"base-mp-128": ("mean", 128), "base-mp-256": ("mean", 256)}
    layers = {"xtreme": 8, "xtreme-xlm": 12, "xtreme-large": 14}
    expected |= dict.fromkeys(layers, ("mean", 512))
    names = ("mlm-multilingual", "cmlm-multilingual", "cmlm-s3", "cmlm-s3-nli")
    starts = {f"{name}-256": name for name in names}
    expected |= dict.fromkeys(starts, ("mean", 256))
    expected |= {"cmlm-proj": ("projected", 128), "labse": ("pooler", 128)}
    # of no paper: what a model's folder records
    expected |= {"recorded": ("recorded", 512)}
    found = {name: (one.pooling, one.embed_max_length) for name, one in recipes.items()}
    assert found == expected
    assert {name: one.layer for name, one in recipes.items() if one.layer} == layers
    started = {name: one.start.recipe for name, one in recipes.items() if one.start}
    assert started == starts | {"cmlm-proj": "cmlm"}


def test_shipped_recipes_hold_the_values_of_cmlm(shipped):
    recipes = of_method("cmlm", shipped)
    small, paper = recipes.pop("cmlm-small"), recipes["cmlm"]
    assert (small.optimiser, small.learning_rate, small.max_gradient_norm) == ("adamw", 5e-4, 1.0)
    assert (small.batch_size, small.projections, small.max_length) == (64, 15, 64)
    # section 3
    assert (paper.optimiser, paper.learning_rate, paper.schedule) == ("lamb", 1e-3, "linear")
    assert (paper.batch_size, paper.projections, paper.max_length) == (2048, 15, 256)
    assert (paper.pooling, paper.swap, paper.masked_share) == ("mean", 0.5, 80 / 256)
    # what differs of each; tables 7, 9 and 10, section 4.4
    inner = Bitext(corpus="bitext-multi", weight=0.2, margin=0.3, normalize=False, logit_scale=1.0)
    after = Start(recipe="cmlm-s3-cmlm", corpus="text-multi")
    changes = {f"cmlm-n{number}": {"projections": number} for number in (1, 5, 10, 20)}
    changes |= {f"cmlm-mask{number}": {"masked_share": number / 256} for number in (40, 60, 100)}
    changes |= {"cmlm-skip": {"conditioning": "skip"}, "cmlm": {}}
    changes |= {f"cmlm-{name}": {"pooling": name} for name in ("max", "cls")}
    changes |= {"cmlm-multilingual": {"steps": 2_000_000}, "cmlm-s2-cmlm": {"steps": 1_000_000}}
    changes |= {"cmlm-s1": {"steps": 2_500_000, "bitext": inner}}
    changes |= {"cmlm-s3-cmlm": {"steps": 1_500_000}}
    changes |= {"cmlm-s3": {"steps": 1_000_000, "bitext": inner, "start": after}}
    # so many steps of warm-up, in each
    warmups = [one.warmup * one.steps for one in recipes.values()]
    assert warmups == pytest.approx([10_000] * len(recipes), abs=1)
    alike = {name: but(one, warmup=paper.warmup) for name, one in recipes.items()}
    assert alike == {name: but(paper, **own) for name, own in changes.items()}


def test_shipped_recipes_hold_the_values_of_simcse_and_tsdae(shipped):
    simcse, tsdae = shipped["simcse"], shipped["tsdae"]
    for recipe in (simcse, tsdae):
        assert (recipe.pooling, recipe.optimiser, recipe.learning_rate) == ("cls", "adamw", 3e-5)
        assert (recipe.weight_decay, recipe.warmup, recipe.max_gradient_norm) == (0.0, 0.0, 1.0)
        assert recipe.dropout == 0.1
    # Gao et al. 2021, Table A.1 and run_unsup_example.sh
    assert (simcse.temperature, simcse.batch_size, simcse.max_length) == (0.05, 64, 32)
    assert (simcse.epochs, simcse.schedule) == (1, "linear")
    # Wang et al. 2021, sections 4 and 5
    assert (tsdae.deleted_share, tsdae.batch_size, tsdae.steps) == (0.6, 8, 100_000)
    assert tsdae.schedule == "constant"


@pytest.mark.parametrize(
    ("change", "key", "message"),
    [
        ({"temprature": 0.1}, "temprature", "did you mean 'temperature'"),
        ({"zzz": 1}, "zzz", r"of \d+ the nearest are "),
        ({**NONE, "temperature": 0.1}, "temperature", "known are development"),
        ({"method": "miror"}, "method", "did you mean 'mirror'"),
        ({"method": ["mirror"]}, "method", "did you mean"),
        ({"method": None}, "method", "use one of: none, mirror"),
        ({"pooling": "mean-padded"}, "pooling", "did you mean 'mean_padded'"),
        ({"learning_rate": "2e-5"}, "learning_rate", r"write 2\.0e-5"),
        ({"learning_rate": "3E4"}, "learning_rate", r"write 3\.0e\+4"),
        ({"temperature": True}, "temperature", "give a number"),
        ({"temperature": 0}, "temperature", "above 0"),
        ({"temperature": float("nan")}, "temperature", "above 0|finite"),
        ({"learning_rate": float("inf")}, "learning_rate", "finite"),
        ({"weight_decay": -0.1}, "weight_decay", "0.0 or more|0 or more"),
        ({"dropout": 1.0}, "dropout", "below 1"),
        ({"drophead": None}, "drophead", "give a number"),
        ({"epochs": 0}, "epochs", "1 or more"),
        ({"batch_size": 1}, "batch_size", "2 or more"),
        ({"max_length": 2}, "max_length", "3 or more"),
        ({"loss_denominator": "both"}, "loss_denominator", "with_positive, negatives_only"),
        ({"span_masking": {"length": 0}}, r"span_masking\.length", "1 or more"),
        ({"span_masking": {"length": 5, "unit": "letter"}}, r"span_masking\.unit", "character"),
        ({**NONE, "development": WATCHED}, "development", "tunes nothing"),
        ({**NONE, "layer": 0}, "layer", "1 or more"),
        ({**NONE, "layer": 7, "pooling": "pooler"}, "layer", "uses the last layer; leave"),
        ({"prompts": {"default": "a\nb"}}, "prompts", "more than one line; give a text in one"),
        ({"pooling": "projected"}, "pooling", "method none with a `start`"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_the_remedy(change, key, message):
    block = change if change.get("method") == "none" else {**MIRROR, **change}
    with pytest.raises(UserError, match=rf"^config: .*`recipes\.own\.{key}`.*({message})"):
        read_recipe("own", block)


@pytest.mark.parametrize("block", [{"pooling": "cls"}, "mirror", None, {**NONE, "pooling": None}])
def test_a_block_that_is_none_or_lacks_a_method_is_an_error(block):
    with pytest.raises(UserError, match=r"^config: .*recipes\.own"):
        read_recipe("own", block)
    missing = {key: MIRROR[key] for key in ("method", "pooling", "max_length")}
    wanted = "keys `recipes.own.embed_max_length`, `recipes.own.epochs`, `recipes.own.temperature`"
    with pytest.raises(UserError, match=wanted):
        read_recipe("own", missing)


def test_a_step_takes_the_recipe_of_any_method_without_the_register():
    assert tuning_recipe_of("own", MIRROR) == read_recipe("own", MIRROR)
    with pytest.raises(UserError, match=r"recipes\.own\.method` is 'nothing'"):
        tuning_recipe_of("own", {"method": "nothing"})
    with pytest.raises(UserError, match=r"'none', which tunes nothing"):
        tuning_recipe_of("own", NONE)
    for method in METHODS:
        module = plugins.load("tuning.methods", method)
        assert module.Choices.tunes == (method != "none")


def test_a_recipe_file_names_file_and_line_of_malformed_yaml(tmp_path):
    path = tmp_path / "own.yaml"
    malformed = ("recipes:\n  a: {method: none\n  b: 1\n", r"own\.yaml, line 3")
    for text, message in (malformed, ("models: {}\n", r"own\.yaml: no recipes")):
        path.write_text(text)
        with pytest.raises(UserError, match=message):
            read_recipe_blocks(path)
    # the number that a message proposes is one to YAML
    assert yaml.safe_load("[2.0e-5, 3.0e+4, 2e-5]") == [2e-5, 3e4, "2e-5"]


def test_checking_recipes_needs_neither_torch_nor_numpy(project):
    code = (
        "import sys; from workflow_scripts.tuning.methods import register, mirror; "
        "print({'torch', 'transformers', 'numpy'} & set(sys.modules))"
    )
    printed = subprocess.check_output([sys.executable, "-c", code], cwd=project, text=True)
    assert printed.strip() == "set()"


BASE = {"method": "mirror", "temperature": 0.04, "span_masking": {"length": 5, "side": "second"}}


def test_own_keys_stand_on_top_of_those_of_the_recipe_that_one_is_like():
    blocks = {
        "short": {"like": "warm", "span_masking": {"length": 2}},
        "warm": {"like": "base", "temperature": 0.2},
        "whole": {"like": "base", "span_masking": None},
        "base": BASE,
    }
    # nested blocks are replaced as a whole, and null is a value
    warm = {**BASE, "temperature": 0.2}
    expected = {"base": BASE, "warm": warm, "short": {**warm, "span_masking": {"length": 2}}}
    assert resolve_likes(blocks) == {**expected, "whole": {**BASE, "span_masking": None}}

    with pytest.raises(UserError, match=r"`recipes.a.like` is `bse`.*did you mean 'base'"):
        resolve_likes({"a": {"like": "bse"}, "base": BASE})
    for circle in ({"a": {"like": "a"}}, {"a": {"like": "b"}, "b": {"like": "a"}}):
        with pytest.raises(UserError, match="circular"):
            resolve_likes(circle)
