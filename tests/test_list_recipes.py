"""The command that lists recipes: all of a file, and each key of one."""

import pytest

from workflow_scripts.configuration.layers import CONFIG
from workflow_scripts.errors import UserError
from workflow_scripts.list_recipes import main
from workflow_scripts.tuning.methods.register import read_recipe, read_recipe_blocks


def test_all_recipes_are_listed_with_what_differs(capsys):
    main([])
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines[1:]]
    assert names == list(read_recipe_blocks(CONFIG / "recipes.yaml"))
    [padded] = [line for line in lines if line.startswith("base-mp-padded ")]
    assert padded.split() == [
        *("base-mp-padded", "none", "mean_padded"),
        *("like", "base-mp,", "pooling", "mean_padded"),
    ]


@pytest.mark.parametrize("name", list(read_recipe_blocks(CONFIG / "recipes.yaml")))
def test_each_key_of_a_recipe_is_explained(name, capsys):
    main([name])
    lines = capsys.readouterr().out.splitlines()
    recipe = read_recipe(name, read_recipe_blocks(CONFIG / "recipes.yaml")[name])
    keys = {line.split()[0]: n for n, line in enumerate(lines) if line[:3].strip() and n}
    assert list(keys) == list(type(recipe).model_fields)
    # at least one line on the meaning of the key follows it
    assert all(lines[n + 1].startswith(" " * 27) for n in keys.values())


def test_own_recipes_are_read_and_unknown_names_told(tmp_path, capsys):
    own = tmp_path / "own.yaml"
    own.write_text("recipes:\n  a: {method: none, pooling: cls, embed_max_length: 9}\n")
    main(["a", "--recipes", str(own)])
    assert "embed_max_length         9" in capsys.readouterr().out
    with pytest.raises(UserError, match=r"recipe b: not in .*own.yaml"):
        main(["b", "--recipes", str(own)])
