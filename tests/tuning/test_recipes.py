"""Recipes: what is accepted, what is refused, and with which words."""

import subprocess
import sys

import pytest
import yaml

from workflow_scripts import plugins
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.methods.cmlm import Bitext
from workflow_scripts.tuning.methods.mirror import SpanMasking
from workflow_scripts.tuning.methods.register import METHODS, read_recipe, read_recipe_blocks
from workflow_scripts.tuning.recipe import Start, resolve_likes, tuning_recipe_of

MIRROR = {"method": "mirror", "pooling": "cls", "embed_max_length": 25}
MIRROR |= {"max_length": 25, "epochs": 2, "temperature": 0.2}
NONE = {"method": "none", "pooling": "mean", "embed_max_length": 64}


def test_shipped_recipes_hold_the_papers_values(project):
    blocks = read_recipe_blocks(project / "config" / "recipes.yaml")
    recipes = {name: read_recipe(name, block) for name, block in blocks.items()}
    recipes = {name: one for name, one in recipes.items() if one.method in ("mirror", "none")}
    # name: pooling, max_length, embed_max_length, epochs, temperature, span, dropout, drophead
    mean, cls = ("mean_padded", 50, 64, 1, 0.04), ("cls", 50, 64, 1, 0.04)
    expected = {
        "mirror-word": ("cls", 25, 25, 2, 0.2, None, 0.1, 0.0),
        "mirror-phrase": ("cls", 25, 25, 2, 0.04, 2, 0.1, 0.0),
        "mirror-sentence-drophead": (*mean, 5, 0.0, 0.2),
        "mirror-sentence-cls-drophead": (*cls, 5, 0.0, 0.05),
        # Tables 8 and 9
        "mirror-sentence-cls-controlled-dropout": (*cls, None, 0.1, 0.0),
        "mirror-word-no-augmentation": ("cls", 25, 25, 2, 0.2, None, 0.0, 0.0),
        "mirror-phrase-no-augmentation": ("cls", 25, 25, 2, 0.04, None, 0.0, 0.0),
    }
    # Tables 7, 12, 13 and 20
    for name, common in (("mirror-sentence", mean), ("mirror-sentence-cls", cls)):
        expected[name] = (*common, 5, 0.1, 0.0)
        expected[f"{name}-no-dropout"] = (*common, 5, 0.0, 0.0)
        expected[f"{name}-no-masking"] = (*common, None, 0.1, 0.0)
        expected[f"{name}-no-augmentation"] = (*common, None, 0.0, 0.0)
        for rate in (0.05, 0.2, 0.3, 0.4):
            expected[f"{name}-dropout-{rate}"] = (*common, 5, rate, 0.0)
        for length in (2, 10, 15, 20):
            expected[f"{name}-masking-{length}"] = (*common, length, 0.1, 0.0)
    # Table 10, whose learning rate is another
    fast = recipes.pop("mirror-word-lr-5e-5")
    assert fast == recipes["mirror-word"].model_copy(update={"learning_rate": 5e-5})
    # of no paper: what a model's folder records
    assert recipes.pop("recorded").pooling == "recorded"
    # CMLM, Table 6: encoders at another length
    read = {name: recipes.pop(name) for name in list(recipes) if name.endswith("-256")}
    longer = recipes["base-mp"].model_copy(update={"embed_max_length": 256})
    starts = {name: one.start and one.start.recipe for name, one in read.items()}
    names = ("mlm-multilingual", "cmlm-multilingual", "cmlm-s3", "cmlm-s3-nli")
    assert starts == {"base-mp-256": None} | {f"{name}-256": name for name in names}
    assert all(one == longer.model_copy(update={"start": one.start}) for one in read.values())
    untuned = {name for name, one in recipes.items() if not one.tunes}
    names = ("cls-names", "mp-names")
    names = {f"base-{name}" for name in ("cls", "mp", "mp-padded", "mp-128", *names)}
    # of CMLM's tables
    names |= {f"senteval-{name}" for name in ("mean", "max", "cls")}
    names |= {"xlnet-mean", "glove-mean"}
    assert untuned == names | {"cmlm-proj", "labse", "xtreme", "xtreme-xlm", "xtreme-large"}
    for name in ("mean", "max", "cls"):
        one = recipes[f"senteval-{name}"]
        assert (one.pooling, one.embed_max_length, one.start) == (name, 128, None)
    assert recipes["xlnet-mean"] == recipes["senteval-mean"]
    assert recipes["glove-mean"] == recipes["base-mp"]
    proj = recipes["cmlm-proj"]
    start = Start(recipe="cmlm", corpus="text-en")
    assert (proj.pooling, proj.embed_max_length, proj.start) == ("projected", 128, start)
    after = {"start": Start(recipe="cmlm", corpus="text-en"), "pooling": "mean"}
    assert recipes.pop("cmlm-s3-mirror").method == "mirror"
    assert recipes.pop("cmlm-mirror") == recipes["mirror-sentence"].model_copy(update=after)
    assert set(recipes) == {*expected, *untuned}
    controlled = {name for name in expected if recipes[name].controlled_dropout}
    assert controlled == {"mirror-sentence-cls-controlled-dropout"}
    for name, values in expected.items():
        one = recipes[name]
        assert (one.batch_size, one.learning_rate, one.weight_decay) == (200, 2e-5, 0.01)
        assert one.loss_denominator == "with_positive"
        masking, authors = one.span_masking, "first_occurrence"
        assert masking is None or masking == SpanMasking(length=masking.length, place=authors)
        found = (one.pooling, one.max_length, one.embed_max_length, one.epochs, one.temperature)
        assert values == (*found, masking and masking.length, one.dropout, one.drophead), name
    assert (recipes["base-cls"].pooling, recipes["base-mp"].pooling) == ("cls", "mean")


def test_shipped_recipes_hold_the_values_of_cmlm(project):
    blocks = read_recipe_blocks(project / "config" / "recipes.yaml")
    recipes = {name: read_recipe(name, block) for name, block in blocks.items()}
    recipes = {name: one for name, one in recipes.items() if one.method == "cmlm"}
    small, paper = recipes.pop("cmlm-small"), recipes["cmlm"]
    assert (small.optimiser, small.learning_rate, small.max_gradient_norm) == ("adamw", 5e-4, 1.0)
    assert (small.batch_size, small.projections, small.max_length) == (64, 15, 64)
    # section 3
    assert (paper.optimiser, paper.learning_rate, paper.schedule) == ("lamb", 1e-3, "linear")
    assert (paper.batch_size, paper.projections, paper.max_length) == (2048, 15, 256)
    assert (paper.pooling, paper.swap) == ("mean", 0.5)
    # what differs of each; tables 7, 9 and 10, section 4.4
    inner = Bitext(corpus="bitext-multi", weight=0.2, margin=0.3, normalize=False, logit_scale=1.0)
    after = Start(recipe="cmlm-s3-cmlm", corpus="text-multi")
    expected = {f"cmlm-n{number}": {"projections": number} for number in (1, 5, 10, 20)}
    shares = {f"cmlm-mask{number}": {"masked_share": number / 256} for number in (40, 60, 100)}
    expected |= {**shares, "cmlm-skip": {"conditioning": "skip"}, "cmlm": {}}
    expected |= {f"cmlm-{name}": {"pooling": name} for name in ("max", "cls")}
    expected |= {"cmlm-multilingual": {"steps": 2_000_000}, "cmlm-s2-cmlm": {"steps": 1_000_000}}
    expected |= {"cmlm-s1": {"steps": 2_500_000, "bitext": inner}}
    expected |= {"cmlm-s3-cmlm": {"steps": 1_500_000}}
    expected |= {"cmlm-s3": {"steps": 1_000_000, "bitext": inner, "start": after}}
    assert recipes.keys() == expected.keys()
    for name, changes in expected.items():
        one = recipes[name]
        assert one == paper.model_copy(update={**changes, "warmup": one.warmup}), name
        assert round(one.masked_share * 256) in (40, 60, 80, 100)
        # so many steps of warm-up, in each
        assert round(one.warmup * one.steps) == pytest.approx(10_000, abs=1)


def test_shipped_recipes_hold_the_values_of_simcse_and_tsdae(project):
    blocks = read_recipe_blocks(project / "config" / "recipes.yaml")
    simcse, tsdae = (read_recipe(name, blocks[name]) for name in ("simcse", "tsdae"))
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
        ({"dropout": {"atention": 0.1}}, r"dropout\.atention", "did you mean 'attention'"),
        ({"drophead": None}, "drophead", "give a number"),
        ({"epochs": 0}, "epochs", "1 or more"),
        ({"epochs": 1.5}, "epochs", "whole number"),
        ({"batch_size": 1}, "batch_size", "2 or more"),
        ({"max_length": 2}, "max_length", "3 or more"),
        ({"loss_denominator": "both"}, "loss_denominator", "with_positive, negatives_only"),
        ({"deduplicate": "yes"}, "deduplicate", "true or false"),
        ({"span_masking": 5}, "span_masking", "keys and values"),
        ({"span_masking": {}}, r"span_masking\.length", "missing"),
        ({"span_masking": {"length": 0}}, r"span_masking\.length", "1 or more"),
        ({"span_masking": {"length": 5, "unit": "letter"}}, r"span_masking\.unit", "character"),
        ({"span_masking": {"length": 5, "sides": "x"}}, r"span_masking\.sides", "mean 'side'"),
        ({"start": {"recipe": "other"}}, r"start\.corpus", "missing"),
        ({"development": {"dataset": "d"}}, r"development\.every", "missing"),
        (
            {**NONE, "development": {"dataset": "d", "every": 3}},
            *("development", "tunes nothing"),
        ),
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
