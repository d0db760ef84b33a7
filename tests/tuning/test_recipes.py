"""Recipes: what is accepted, what is refused, and with which words."""

import subprocess
import sys
from dataclasses import replace

import pytest
import yaml

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.recipe_file import read_recipe_blocks
from workflow_scripts.tuning.recipes import SpanMasking, parse_recipe

MIRROR = {
    "method": "mirror",
    "pooling": "cls",
    "embed_max_length": 25,
    "max_length": 25,
    "epochs": 2,
    "temperature": 0.2,
}
NONE = {"method": "none", "pooling": "mean", "embed_max_length": 64}


@pytest.fixture
def shipped(project):
    return read_recipe_blocks(project / "config" / "recipes.yaml")


def test_shipped_recipes_hold_the_papers_values(shipped):
    recipes = {name: parse_recipe(name, block) for name, block in shipped.items()}
    # name: pooling, max_length, embed_max_length, epochs, temperature, span, dropout, drophead
    expected = {
        "mirror-word": ("cls", 25, 25, 2, 0.2, None, 0.1, 0.0),
        "mirror-phrase": ("cls", 25, 25, 2, 0.04, 2, 0.1, 0.0),
        "mirror-sentence": ("mean_padded", 50, 64, 1, 0.04, 5, 0.1, 0.0),
        "mirror-sentence-cls": ("cls", 50, 64, 1, 0.04, 5, 0.1, 0.0),
        "mirror-sentence-drophead": ("mean_padded", 50, 64, 1, 0.04, 5, 0.0, 0.2),
        "mirror-sentence-cls-drophead": ("cls", 50, 64, 1, 0.04, 5, 0.0, 0.05),
        # Tables 7, 8 and 20
        "mirror-sentence-no-dropout": ("mean_padded", 50, 64, 1, 0.04, 5, 0.0, 0.0),
        "mirror-sentence-no-masking": ("mean_padded", 50, 64, 1, 0.04, None, 0.1, 0.0),
        "mirror-sentence-no-augmentation": ("mean_padded", 50, 64, 1, 0.04, None, 0.0, 0.0),
        "mirror-sentence-cls-no-dropout": ("cls", 50, 64, 1, 0.04, 5, 0.0, 0.0),
        "mirror-sentence-cls-no-masking": ("cls", 50, 64, 1, 0.04, None, 0.1, 0.0),
        "mirror-sentence-cls-no-augmentation": ("cls", 50, 64, 1, 0.04, None, 0.0, 0.0),
        "mirror-sentence-cls-controlled-dropout": ("cls", 50, 64, 1, 0.04, None, 0.1, 0.0),
        # Table 9
        "mirror-word-no-augmentation": ("cls", 25, 25, 2, 0.2, None, 0.0, 0.0),
        "mirror-phrase-no-augmentation": ("cls", 25, 25, 2, 0.04, None, 0.0, 0.0),
    }
    # Tables 12 and 13
    for name, pooling in (("mirror-sentence", "mean_padded"), ("mirror-sentence-cls", "cls")):
        for rate in (0.05, 0.2, 0.3, 0.4):
            expected[f"{name}-dropout-{rate}"] = (pooling, 50, 64, 1, 0.04, 5, rate, 0.0)
        for length in (2, 10, 15, 20):
            expected[f"{name}-masking-{length}"] = (pooling, 50, 64, 1, 0.04, length, 0.1, 0.0)
    # Table 10, whose learning rate is another
    fast = recipes.pop("mirror-word-lr-5e-5")
    assert fast.mirror == replace(recipes["mirror-word"].mirror, learning_rate=5e-5)
    controlled = {
        name for name, one in recipes.items() if one.mirror and one.mirror.controlled_dropout
    }
    assert controlled == {"mirror-sentence-cls-controlled-dropout"}
    untuned = {name for name, one in recipes.items() if one.mirror is None}
    assert untuned == {"base-cls", "base-mp", "base-mp-padded", "base-cls-names", "base-mp-names"}
    assert set(recipes) == {*expected, *untuned}
    for name, values in expected.items():
        recipe, choices = recipes[name], recipes[name].mirror
        assert (choices.batch_size, choices.learning_rate, choices.weight_decay) == (
            200,
            2e-5,
            0.01,
        )
        assert choices.loss_denominator == "with_positive"
        masking = choices.span_masking
        assert masking is None or masking == SpanMasking(length=masking.length)
        assert values == (
            recipe.pooling,
            choices.max_length,
            recipe.embed_max_length,
            choices.epochs,
            choices.temperature,
            masking and masking.length,
            choices.dropout,
            choices.drophead,
        )
    assert (recipes["base-cls"].pooling, recipes["base-mp"].pooling) == ("cls", "mean")
    assert recipes["base-cls"].mirror is None


def test_what_a_recipe_leaves_out_is_the_papers():
    choices = parse_recipe("short", MIRROR).mirror
    assert (choices.batch_size, choices.learning_rate, choices.span_masking) == (200, 2e-5, None)


@pytest.mark.parametrize(
    ("block", "key", "message"),
    [
        ({**MIRROR, "temprature": 0.1}, "temprature", "did you mean 'temperature'"),
        ({**MIRROR, "zzz": 1}, "zzz", "known are batch_size"),
        ({**NONE, "temperature": 0.1}, "temperature", "unknown key"),
        ({**MIRROR, "method": "miror"}, "method", "did you mean 'mirror'"),
        ({**MIRROR, "method": None}, "method", "unknown"),
        ({**MIRROR, "method": ["mirror"]}, "method", "unknown"),
        ({"pooling": "cls"}, "method", "missing"),
        ("mirror", "method", "missing"),
        (None, "method", "missing"),
        ({"method": "none", "pooling": "cls"}, "embed_max_length", "missing"),
        ({key: MIRROR[key] for key in MIRROR if key != "epochs"}, "epochs", "missing"),
        ({**MIRROR, "pooling": "mean-padded"}, "pooling", "did you mean 'mean_padded'"),
        ({**MIRROR, "learning_rate": "2e-5"}, "learning_rate", r"write 2\.0e-5"),
        ({**MIRROR, "learning_rate": "3E4"}, "learning_rate", r"write 3\.0e\+4"),
        ({**MIRROR, "temperature": "0.2"}, "temperature", r"write 0\.2"),
        ({**MIRROR, "temperature": "warm"}, "temperature", "not a number"),
        ({**MIRROR, "temperature": True}, "temperature", "not a number"),
        ({**MIRROR, "temperature": 0}, "temperature", "out of range"),
        ({**MIRROR, "temperature": float("nan")}, "temperature", "out of range"),
        ({**MIRROR, "learning_rate": float("inf")}, "learning_rate", "out of range"),
        ({**MIRROR, "weight_decay": -0.1}, "weight_decay", "out of range"),
        ({**MIRROR, "dropout": 1.0}, "dropout", "a rate from 0 up to"),
        ({**MIRROR, "dropout": -0.1}, "dropout", "out of range"),
        ({**MIRROR, "drophead": 1.5}, "drophead", "out of range"),
        ({**MIRROR, "drophead": None}, "drophead", "not a number"),
        ({**MIRROR, "epochs": 0}, "epochs", "whole number of 1"),
        ({**MIRROR, "epochs": 1.5}, "epochs", "whole number"),
        ({**MIRROR, "epochs": True}, "epochs", "whole number"),
        ({**MIRROR, "batch_size": 1}, "batch_size", "whole number of 2"),
        ({**MIRROR, "max_length": 2}, "max_length", "whole number of 3"),
        (
            {**MIRROR, "loss_denominator": "both"},
            "loss_denominator",
            "known are negatives_only, with_positive",
        ),
        ({**MIRROR, "deduplicate": "yes"}, "deduplicate", "neither true nor false"),
        ({**MIRROR, "span_masking": 5}, "span_masking", "expected keys and values"),
        ({**MIRROR, "span_masking": {}}, r"span_masking\.length", "missing"),
        ({**MIRROR, "span_masking": {"length": 0}}, r"span_masking\.length", "whole number"),
        (
            {**MIRROR, "span_masking": {"length": 5, "unit": "letter"}},
            r"span_masking\.unit",
            "known are character, token, word",
        ),
        (
            {**MIRROR, "span_masking": {"length": 5, "sides": "second"}},
            r"span_masking\.sides",
            "did you mean 'side'",
        ),
    ],
)
def test_a_wrong_key_or_value_is_named_with_the_remedy(block, key, message):
    with pytest.raises(UserError, match=rf"^recipes\.own\.{key}: .*{message}"):
        parse_recipe("own", block)


def test_the_number_that_the_message_proposes_is_one_to_yaml():
    assert yaml.safe_load("[2.0e-5, 3.0e+4]") == [2e-5, 3e4]
    assert yaml.safe_load("2e-5") == "2e-5"


def test_a_recipe_file_names_file_and_line_of_malformed_yaml(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("recipes:\n  a: {method: none\n  b: 1\n")
    with pytest.raises(UserError, match=r"own\.yaml:3: not valid YAML"):
        read_recipe_blocks(path)
    path.write_text("models: {}\n")
    with pytest.raises(UserError, match=r"own\.yaml: no recipes"):
        read_recipe_blocks(path)


def test_checking_recipes_needs_the_standard_library_only(project):
    code = (
        "import sys; from workflow_scripts.tuning import recipes; "
        "print({'torch', 'transformers', 'numpy', 'yaml'} & set(sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "set()"
