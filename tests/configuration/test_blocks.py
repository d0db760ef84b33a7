from typing import Literal

import pytest
import yaml
from pydantic import Field, model_validator

from workflow_scripts.configuration import blocks
from workflow_scripts.configuration.config import Config
from workflow_scripts.errors import UserError


class Rates(blocks.Block):
    attention: blocks.Rate | None = None
    embeddings: blocks.Rate | None = None


class Recipe(blocks.Block):
    method: Literal["mirror", "none"]
    pooling: blocks.Text
    rate: blocks.Positive = 2e-5
    dropout: blocks.Rate | Rates | None = None
    flag: bool = False
    members: blocks.Distinct[blocks.Id] = Field(default_factory=lambda: ["a"])

    @model_validator(mode="after")
    def _fits(self) -> "Recipe":
        if self.flag and self.method == "none":
            raise blocks.mistake("a {flag} needs a method")
        return self


class Top(blocks.Block):
    recipes: dict[blocks.Id, Recipe]
    rows: list[Recipe] = Field(default_factory=list)
    count: blocks.WholeNumber = 1


RECIPE = {"method": "mirror", "pooling": "cls"}


def given(**keys):
    return {"recipes": {"a": {**RECIPE, **keys}}}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"recipe": {}}, "config: unknown key `recipe`; did you mean 'recipes'?"),
        ({}, "config: key `recipes` is missing; add it"),
        (given(rat=1, method=3), "config: unknown key `recipes.a.rat`; did you mean 'rate'?"),
        # before what is missing elsewhere
        (
            {"recipes": {"a": {}, "b": {**RECIPE, "rat": 1}}},
            "config: unknown key `recipes.b.rat`; did you mean 'rate'?",
        ),
        (
            {"recipes": {"a": {}}},
            "config: keys `recipes.a.method`, `recipes.a.pooling` are missing; add them",
        ),
        (
            given(method="miror"),
            "`recipes.a.method` is 'miror'; use one of: mirror, none (did you mean 'mirror'?)",
        ),
        (given(rate="3e-4"), "`recipes.a.rate` is '3e-4'; YAML reads it as text.*: write 3.0e-4"),
        (given(rate="fast"), "`recipes.a.rate` is 'fast'; give a number"),
        (given(rate=0), "`recipes.a.rate` is 0; give a number above 0"),
        (given(rate=True), "`recipes.a.rate` is True; give a number"),
        (given(rate=float("nan")), "`recipes.a.rate` is nan; give a"),
        (given(dropout=1.5), "`recipes.a.dropout` is 1.5; give a number below 1"),
        (
            given(dropout={"atention": 0.1}),
            "unknown key `recipes.a.dropout.atention`; did you mean 'attention'?",
        ),
        (
            given(dropout={"attention": 2}),
            "`recipes.a.dropout.attention` is 2; give a number below",
        ),
        (given(members=[]), "`recipes.a.members` is []; give at least 1"),
        (given(members=["b", "b"]), "has 'b' twice; remove one"),
        (given(members="b"), "give a list"),
        (given(pooling=""), "`recipes.a.pooling` is ''; give text"),
        (given(flag="yes"), "give true or false"),
        ({**given(), "count": "33"}, "`count` is '33'; YAML reads it as text.*: write 33"),
        ({**given(), "count": "033"}, "`count` is '033'; YAML reads it as text.*: write 33"),
        ({**given(), "count": "1e3"}, "`count` is '1e3'; YAML reads it as text.*: write 1000"),
        ({**given(), "count": "2.5"}, "`count` is '2.5'; give a whole number"),
        ({**given(), "count": "4_5"}, "`count` is '4_5'; give a whole number"),
        ({**given(), "count": "1e400"}, "`count` is '1e400'; give a whole number"),
        ({**given(), "count": "\u0664"}, "give a whole number"),
        (given(method="none", flag=True), "a {flag} needs a method"),
        ({"recipes": {"A": RECIPE}}, "`recipes.A` is 'A'; ids: small letters and digits"),
        ({"recipes": {"a\n": RECIPE}}, "ids: small letters and digits"),
        ({"recipes": {"a--b": RECIPE}}, "ids: small letters and digits"),
        ({"recipes": 3}, "`recipes` is 3; give keys and values"),
        ({"recipes": {"a": "b"}}, "`recipes.a` is 'b'; give keys and values"),
        ({**given(), "count": 2.5}, "`count` is 2.5; give a whole number"),
        ({**given(), "count": 0}, "`count` is 0; give a number of 1 or more"),
        ({**given(), "rows": [{"method": "none"}]}, "key `rows.0.pooling` is missing"),
    ],
)
def test_a_mistake_is_one_line_with_key_and_remedy(value, message):
    with pytest.raises(UserError) as caught:
        blocks.read_block(Top, value)
    first, *rest = message.split(".*")
    assert first in str(caught.value) and all(part in str(caught.value) for part in rest)
    assert "\n" not in str(caught.value)


def test_what_the_hint_says_is_accepted():
    for kind, key, text in ((Top, "count", "33"), (Recipe, "rate", "3e-4")):
        value = given() if kind is Top else RECIPE
        with pytest.raises(UserError) as caught:
            blocks.read_block(kind, {**value, key: text})
        written = yaml.safe_load(str(caught.value).rpartition(": write ")[2])
        assert getattr(blocks.read_block(kind, {**value, key: written}), key) == float(text)


def test_the_file_is_that_of_the_key():
    files = {("recipes", "a", "rate"): "mine.yaml"}
    with pytest.raises(UserError, match=r"^mine.yaml: `recipes.a.rate`"):
        blocks.read_block(Recipe, given(rate=0)["recipes"]["a"], "recipes.a", files.get)


def test_a_block_is_typed_and_closed_for_change():
    block = blocks.read_block(Top, given(rate=1))
    assert block.recipes["a"].rate == 1.0 and block.recipes["a"].dropout is None
    with pytest.raises(Exception, match="frozen"):
        block.count = 2


REVISION = {"revision": "0123456"}


@pytest.mark.parametrize(
    "model", [{}, {"path": "a", "hub": "b"} | REVISION, {"hub": "a"}, {"path": "a"} | REVISION]
)
def test_a_model_has_one_source(model):
    with pytest.raises(UserError, match="`path`, `hub` with a pinned `revision`"):
        blocks.read_block(Config.model_fields["models"].annotation.__args__[1], model, "models.a")


class Place(blocks.Block):
    path: blocks.RulePath


# Snakemake itself prints the paths of inputs and outputs
CONTROLS = dict.fromkeys(["a\x1b[31m", "a\nb", "a\tb", "\u202ea", "a\x85"], r"it contains \\")
OPTIONS = dict.fromkeys(["-a/b", "./-a"], "a name that begins with - looks like an option")


@pytest.mark.parametrize(("path", "why"), (CONTROLS | OPTIONS).items())
def test_a_path_that_would_be_misread_is_refused(path, why):
    with pytest.raises(UserError, match=f"`path` is .*; rename it: {why}") as refused:
        blocks.read_block(Place, {"path": path})
    assert str(refused.value).isprintable()


# Snakemake has a warning for each file whose path begins with ./ or has //
FORMS = {"a/": "a", "./a": "a", "a//b": "a/b", "../a": "../a", "/": "/", "a/../b": "a/../b"}
ODD = ["a b", "a'b", 'a"b', "$HOME", "é", "a*", "a?b", "a[b]", "~", "#a"]


@pytest.mark.parametrize(("path", "taken"), (FORMS | dict(zip(ODD, ODD, strict=True))).items())
def test_a_path_has_one_form(path, taken):
    assert blocks.read_block(Place, {"path": path}).path == taken
