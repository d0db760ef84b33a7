"""YAML files of config: mistakes carry file and line, and a key that is given twice is one."""

from pathlib import Path
from typing import Any

import yaml

from workflow_scripts.errors import UserError


# the loader in C, where PyYAML was built with it, is several times faster
class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """A safe loader that refuses a key given twice (YAML's `<<` excepted) and keeps lines."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[Any, int] = {}
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            name = self.construct_object(key, deep=True)
            # others are no keys: said below
            if not isinstance(name, str | int | float | bool):
                continue
            if name in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key `{name}` is given twice, first in line {seen[name]}: "
                    "remove one",
                    problem_mark=key.start_mark,
                )
            seen[name] = key.start_mark.line + 1
        return super().construct_mapping(node, deep)


def read_mapping(path: str | Path) -> dict[str, Any]:
    """Return what a YAML file of `key: value` holds; {} for an empty one.

    Raises `UserError` naming file, line and what is wrong for a file that is missing, not UTF-8 or
    not valid YAML, and for a key given twice.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; give a file that can be read") from error
    try:
        found = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise UserError(f"{path}{line}: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML ({str(error).splitlines()[0]})") from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise UserError(f"{path}: give lines of the form `key: value`")
    return found
