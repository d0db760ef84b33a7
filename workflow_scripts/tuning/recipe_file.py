"""Reading recipes from a YAML file with the top-level key `recipes`."""

from pathlib import Path
from typing import Any

import yaml

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_text
from workflow_scripts.tuning.recipe_inheritance import resolve_likes


def read_recipe_blocks(path: str | Path) -> dict[str, Any]:
    """Return {recipe name: block}, `like` resolved; the blocks are checked by `parse_recipe`.

    Raises `UserError` with file and line for malformed YAML, without a `recipes` key, and as
    `resolve_likes` does.
    """
    try:
        content = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "malformed"
        raise UserError(f"{path}{line}: not valid YAML ({problem}); mend the line") from error
    blocks = content.get("recipes") if isinstance(content, dict) else None
    if not isinstance(blocks, dict):
        raise UserError(f"{path}: no recipes in it; put them under the top-level key recipes")
    return resolve_likes(blocks)
