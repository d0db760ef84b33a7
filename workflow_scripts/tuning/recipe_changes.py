"""Recipes derived from recipes: keys of a block set by their paths. Standard library only."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any


def change_recipe(block: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a recipe's block with keys set, {path: value} in order.

    A point reaches into a nested block: `span_masking.length`; where there is none (null, or no
    such key) one is made. Which keys and values are right is for `parse_recipe` to say.
    """
    changed = deepcopy(dict(block))
    for path, value in changes.items():
        *parents, key = path.split(".")
        target = changed
        for parent in parents:
            inner = target.get(parent)
            target[parent] = inner if isinstance(inner, dict) else {}
            target = target[parent]
        target[key] = deepcopy(value)
    return changed
