"""Configs of before tables named data sets alone: `suites`, and keys `suite` of what is shown."""

from collections.abc import Iterator
from typing import Any

from workflow_scripts.configuration.blocks import FileOf
from workflow_scripts.errors import ConfigError


def refuse_suites(config: dict[str, Any], file_of: FileOf) -> None:
    """Raise `UserError` that names file and key for a block `suites` or a key `suite`.

    A data set may have one, and so may the names that columns give to placeholders.
    """
    for path in _keys(config, ()):
        if path[-1] in ("suite", "suites"):
            problem = "is a key of earlier versions: tables now name only data sets"
            remedy = "remove it (a data set may set `suite`; docs/reference/config.md)"
            raise ConfigError(file_of(path), ".".join(path), problem, remedy)


def _keys(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of all keys, items of lists by id; not those in `datasets` and `with`."""
    if isinstance(value, dict):
        for key, inner in value.items():
            own = (*path, str(key))
            yield own
            if key != "with" and own != ("datasets",):
                yield from _keys(inner, own)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            if isinstance(item, dict):
                yield from _keys(item, (*path, str(item.get("id", number))))
