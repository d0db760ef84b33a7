"""Recipes that say only how they differ from another one (`like`)."""

from collections.abc import Mapping
from typing import Any

from workflow_scripts.errors import UserError, nearest_name


def resolve_likes(blocks: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the recipes with `like: other` replaced by the keys of the other, their own on top.

    A key is replaced as a whole, nested blocks included. Since the other recipe is looked up in
    the merged config, a change of it changes all that are like it. Raises `UserError` for an
    unknown name and for recipes that are like each other in a circle.
    """
    resolved: dict[str, dict[str, Any]] = {}

    def resolve(name: str, above: tuple[str, ...]) -> dict[str, Any]:
        if name in above:
            circle = " -> ".join([*above, name])
            raise UserError(f"config: `recipes.{name}.like`: in a circle ({circle}); break it")
        if name not in resolved:
            block = blocks[name]
            other = block.get("like") if isinstance(block, Mapping) else None
            if other is None:
                resolved[name] = block
            elif other not in blocks:
                raise UserError(
                    f"config: `recipes.{name}.like` is `{other}`, which is not in `recipes`; "
                    f"{nearest_name(other, blocks)}"
                )
            else:
                own = {key: value for key, value in block.items() if key != "like"}
                resolved[name] = {**resolve(other, (*above, name)), **own}
        return resolved[name]

    return {name: resolve(name, ()) for name in blocks}
