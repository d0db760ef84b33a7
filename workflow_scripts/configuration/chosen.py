"""Blocks whose type is that of a module chosen by one of their keys (`format`, `kind`, ...)."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import create_model

from workflow_scripts import plugins
from workflow_scripts.configuration.blocks import Block, FileOf, read_block


def read_chosen(
    package: str,
    type_name: str,
    key: str,
    known: tuple[str, ...],
    block: Any,
    where: str,
    file: str | FileOf = "config",
    default: str | None = None,
) -> Any:
    """Return a block as the type `type_name` of the module of `package` that its `key` names.

    `known` are the names in the package's register. Raises `UserError` as `read_block` does, and as
    `read_choice` before all else.
    """
    name = read_choice(key, known, block, where, file, default)
    return read_block(getattr(plugins.load(package, name), type_name), block, where, file)


def read_choice(
    key: str,
    known: tuple[str, ...],
    block: Any,
    where: str,
    file: str | FileOf = "config",
    default: str | None = None,
) -> str:
    """Return which of the `known` names a block has as its `key`, `default` without the key.

    Raises `UserError` for a name that is missing or not known.
    """
    name = block.get(key, default) if isinstance(block, Mapping) else None
    if name not in known:
        fields: dict[str, Any] = {key: (Literal[known], ...)}
        choice: Any = create_model("Choice", __base__=Block, **fields)
        if isinstance(block, Mapping):
            block = {name: value for name, value in block.items() if name == key}
        read_block(choice, block, where, file)
    return str(name)
