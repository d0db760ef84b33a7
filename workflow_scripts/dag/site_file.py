"""The user's own few lines for a cluster: a YAML file of `key: value`, read into a dataclass."""

from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import yaml

from workflow_scripts.errors import UserError, nearest_name

Site = TypeVar("Site")


def read_site_file(path: Path, kind: type[Site]) -> Site:
    """Return a site of a dataclass whose fields are of type int, list[str] or str, or None.

    Whole numbers are 1 or more; names that look like numbers stay names. Raises `UserError` for a
    file that is no YAML mapping of the fields.
    """
    try:
        lines: Any = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not valid YAML ({str(error).splitlines()[0]})") from error
    if not isinstance(lines, dict):
        raise UserError(f"{path}: give lines of the form `key: value`")
    types = {field.name: field.type for field in fields(kind)}  # type: ignore[arg-type]
    for key, value in lines.items():
        if key not in types:
            raise UserError(f"{path}: unknown key `{key}`; {nearest_name(key, types)}")
        if types[key] in (int, int | None):
            if type(value) is not int or value < 1:
                raise UserError(f"{path}: `{key}` is {value!r}; give a whole number of 1 or more")
        elif types[key] == list[str]:
            if not isinstance(value, list):
                raise UserError(f"{path}: `{key}` is {value!r}; give a list of words")
            lines[key] = [str(word) for word in value]
        elif value is not None:
            lines[key] = str(value)
    return kind(**lines)
