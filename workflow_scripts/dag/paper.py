"""Where a cell departs from the paper: only one that does not is compared with its value."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from workflow_scripts.tuning.recipe_inheritance import resolve_likes

_RECIPES = Path(__file__).resolve().parents[2] / "config" / "recipes.yaml"

# Retrieval as the paper has it: SapBERT's evaluation for linking, the mapping of Artetxe et al.
# (2018) with CSLS (Lample et al. 2018) for lexicons (section 3).
RETRIEVAL = {
    "entity-linking": ("linking", {"similarity": "dot"}),
    "lexicon": (
        "lexicon",
        {"mapping": "supervised", "regularisation": 0, "similarity": "csls", "neighbours": 10},
    ),
}


@cache
def paper_recipes() -> dict[str, dict[str, Any]]:
    """Return the recipes of config/recipes.yaml, which are the paper's, `like` resolved."""
    return resolve_likes(yaml.safe_load(_RECIPES.read_text(encoding="utf-8"))["recipes"])


def recipe_departures(name: str, block: dict[str, Any]) -> list[str]:
    """Return what differs between a recipe and the paper's of that name, as short texts.

    They do not name the recipe, so that the same change of many recipes reads as one.
    """
    published = paper_recipes().get(name)
    if published is None:
        return [f"recipe {name} is not the paper's"]
    keys = [key for key in {**published, **block} if published.get(key) != block.get(key)]
    return [
        f"recipe: {key} {_text(block.get(key))}, in the paper {_text(published.get(key))}"
        for key in keys
    ]


def retrieval_departures(task: str, retrieval: dict[str, Any]) -> list[str]:
    """Return what differs between the config's retrieval for a task and the paper's."""
    if task not in RETRIEVAL:
        return []
    kind, published = RETRIEVAL[task]
    return [
        f"retrieval.{kind}: {key} {_text(retrieval[kind][key])}, in the paper {_text(value)}"
        for key, value in published.items()
        if retrieval[kind][key] != value
    ]


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(inner)}" for key, inner in value.items())
    return str(value)


def unique(reasons: Iterable[str]) -> list[str]:
    """Return the different reasons in order."""
    return list(dict.fromkeys(reasons))
