import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.recipe_inheritance import resolve_likes

BASE = {"method": "mirror", "temperature": 0.04, "span_masking": {"length": 5, "side": "second"}}


def test_own_keys_stand_on_top_and_nested_blocks_are_replaced_as_a_whole():
    blocks = {
        "base": BASE,
        "warm": {"like": "base", "temperature": 0.2},
        "short": {"like": "warm", "span_masking": {"length": 2}},
    }
    resolved = resolve_likes(blocks)
    assert resolved["base"] == BASE
    assert resolved["warm"] == {**BASE, "temperature": 0.2}
    assert resolved["short"] == {**BASE, "temperature": 0.2, "span_masking": {"length": 2}}


def test_the_order_of_the_file_does_not_matter():
    blocks = {"warm": {"like": "base", "temperature": 0.2}, "base": BASE}
    assert resolve_likes(blocks)["warm"]["method"] == "mirror"


def test_null_is_a_value():
    resolved = resolve_likes({"base": BASE, "whole": {"like": "base", "span_masking": None}})
    assert resolved["whole"]["span_masking"] is None


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ({"a": {"like": "bse"}, "base": BASE}, "`recipes.a.like` is `bse`.*did you mean 'base'"),
        ({"a": {"like": "a"}}, "in a circle"),
        ({"a": {"like": "b"}, "b": {"like": "a"}}, "in a circle"),
    ],
)
def test_mistakes_are_named(blocks, message):
    with pytest.raises(UserError, match=message):
        resolve_likes(blocks)
