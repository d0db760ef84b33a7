"""Blocks of YAML that say `for`."""

import pytest

from workflow_scripts.configuration.yaml_files import read_mapping, repeat_blocks
from workflow_scripts.errors import UserError


def test_a_block_stands_for_one_for_each_value_in_keys_and_texts(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(
        "datasets:\n"
        "  'set-{language}':\n"
        "    for: {language: [de, fr]}\n"
        "    path: 'x/{language}.tsv'\n"
        "    parts: {'{language}': ['{other} {language}', 3, null]}\n"
        "  plain: {path: '{language}'}\n"
    )
    assert read_mapping(path)["datasets"] == {
        "set-de": {"path": "x/de.tsv", "parts": {"de": ["{other} de", 3, None]}},
        "set-fr": {"path": "x/fr.tsv", "parts": {"fr": ["{other} fr", 3, None]}},
        "plain": {"path": "{language}"},
    }


def test_several_names_are_combined_or_go_together():
    combined = {"for": {"a": ["x", "y"], "b": [1, 2]}, "each": "{a}{b}"}
    assert repeat_blocks(["first", combined], "f") == ["first", "x1", "x2", "y1", "y2"]
    together = {"for": {"a b": [["x", 1], ["y", 2]]}, "id": "{a}", "n": "{b}"}
    assert repeat_blocks([together], "f") == [{"id": "x", "n": "1"}, {"id": "y", "n": "2"}]


def test_a_block_within_may_repeat_over_names_of_its_own():
    inner = {"for": {"b": [1, 2]}, "each": "{a}-{b}"}
    found = repeat_blocks({"{a}": {"for": {"a": ["x", "y"]}, "of": [inner]}}, "f")
    assert found == {"x": {"of": ["x-1", "x-2"]}, "y": {"of": ["y-1", "y-2"]}}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"{a}": {"for": ["x"]}}, r"^f: `for` is \['x'\]; give it names with lists of values$"),
        ({"{a}": {"for": {"a": "x"}}}, "`for` is {'a': 'x'}; give it names with"),
        ({"{a}": {"for": {"a b": [["x"]]}}}, "`for` is .*; give it names with"),
        ({"k": {"for": {"a": ["x", "y"]}}}, "`for` gives the key `k` twice; remove one"),
        ({"x": {}, "{a}": {"for": {"a": ["x"]}}}, "`for` gives the key `x` twice"),
    ],
)
def test_what_cannot_be_repeated_is_one_line_that_names_the_file(value, message):
    with pytest.raises(UserError, match=message) as error:
        repeat_blocks(value, "f")
    assert "\n" not in str(error.value)
