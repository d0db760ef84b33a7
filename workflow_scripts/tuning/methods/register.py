"""The methods there are: for what checks a config, never for a step."""

from pathlib import Path
from typing import Any

from workflow_scripts.configuration.blocks import FileOf
from workflow_scripts.configuration.chosen import read_chosen
from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.recipe import Recipe, resolve_likes

METHODS = (
    "none",
    "mirror",
    "simcse",
    "tsdae",
    "cmlm",
    "mlm",
    "quickthought",
    "bitext",
    "nli",
    "classify",
)


def read_recipe(name: str, block: Any, file: str | FileOf = "config") -> Recipe:
    """Return the typed recipe of a block of config; `UserError` names `recipes.<name>.<key>`."""
    where = f"recipes.{name}"
    return read_chosen("tuning.methods", "Choices", "method", METHODS, block, where, file)


def read_recipe_blocks(path: str | Path) -> dict[str, Any]:
    """Return {recipe name: block} of a YAML file, `like` resolved; the blocks are not checked."""
    blocks = read_mapping(path).get("recipes")
    if not isinstance(blocks, dict):
        raise UserError(path, "no recipes in it", "put them under the top-level key recipes")
    return resolve_likes(blocks)
