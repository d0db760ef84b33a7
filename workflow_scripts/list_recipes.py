"""Command: list the recipes, or explain one: each of its keys with its value."""

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

import yaml

from workflow_scripts.command_main import run_command
from workflow_scripts.configuration.layers import CONFIG
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.option_paths import check_files
from workflow_scripts.path_functions import command
from workflow_scripts.tuning.methods.register import read_recipe, read_recipe_blocks

EXAMPLE = """
COMMAND mirror-phrase
"""
_TITLES = ("recipe", "method", "pooling", "what it is")
_WIDTH, _INDENT = 100, 27


def _written(path: Path) -> dict[str, Any]:
    """Return the blocks as the file has them, `like` included, whose form was checked before."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))["recipes"]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _difference(block: dict[str, Any]) -> str:
    """Return what a recipe says next to the one that it is like, or that it is one of its own."""
    if "like" not in block:
        return "a recipe of its own"
    others = (f"{key} {_shown(value)}" for key, value in block.items() if key != "like")
    return ", ".join([f"like {block['like']}", *others])


def rows_of_recipes(path: Path) -> list[tuple[str, ...]]:
    """Return name, method, pooling and difference of each recipe that a file has, in its order."""
    recipes = {
        name: read_recipe(name, block, str(path))
        for name, block in read_recipe_blocks(path).items()
    }
    written = _written(path)
    return [
        (name, recipe.method, recipe.pooling, _difference(written[name]))
        for name, recipe in recipes.items()
    ]


def explain(name: str, path: Path) -> list[str]:
    """Return a line for each key of a recipe: its value, and what the key means."""
    blocks = read_recipe_blocks(path)
    if name not in blocks:
        raise UserError(f"recipe {name}", f"not in {path}", nearest_name(name, blocks))
    recipe = read_recipe(name, blocks[name], str(path))
    lines = [f"{name}: {_difference(_written(path)[name])}", ""]
    for key, field in type(recipe).model_fields.items():
        value = recipe.model_dump(mode="json")[key]
        meaning = textwrap.wrap(field.description or "", _WIDTH - _INDENT)
        lines += [f"  {key:<{_INDENT - 2}}{_shown(value)}"]
        lines += [" " * _INDENT + line for line in meaning]
    return lines


def list_recipes(name: str = "", /, *, recipes: Path = CONFIG / "recipes.yaml") -> None:
    """List the recipes, or explain one: every key with its value.

    Args:
        name: recipe to explain
        recipes: another file of recipes
    """
    check_files("--recipes", recipes)
    if name:
        print(*explain(name, recipes), sep="\n")
        return
    rows = [_TITLES, *rows_of_recipes(recipes)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for *fields, difference in rows:
        cells = (text.ljust(width) for text, width in zip(fields, widths, strict=True))
        print(*cells, difference, sep="  ")
    print("give the name of a recipe to explain it", file=sys.stderr)


main = command(list_recipes, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
