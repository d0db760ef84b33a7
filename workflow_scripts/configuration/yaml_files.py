"""YAML files of config: mistakes carry file and line, and a key that is given twice is one.

A block with `for` is repeated for each of its names: see `repeat_blocks`.
"""

import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from workflow_scripts.errors import ConfigError, UserError

# How numbers and booleans must be written, by YAML's tag, and the remedy for others.
_DIGITS = "plain decimal digits"
_PLAIN = {
    "int": (re.compile("[-+]?(0|[1-9][0-9]*)"), _DIGITS),
    "float": (
        re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan", re.I),
        _DIGITS,
    ),
    "bool": (re.compile("true|false", re.I), "true or false"),
}
_DEEPEST = 100
_MOST_VALUES = 1_000_000


class _RefusedError(yaml.MarkedYAMLError):
    """What YAML takes and configs do not; `remedy` says what to write."""

    def __init__(self, problem: str, remedy: str, mark: Any) -> None:
        super().__init__(problem=problem, problem_mark=mark)
        self.remedy = remedy


# the loader in C, where PyYAML was built with it, is several times faster
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_SafeLoader):
    """A safe loader that keeps lines and refuses a key given twice (YAML's `<<` excepted).

    It also refuses numbers and booleans that YAML 1.1 reads differently from how they look.
    """

    def get_single_data(self) -> Any:
        node = self.get_single_node()
        if node is None:
            return None
        _require_plain(node)
        return self.construct_document(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[Any, int] = {}
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            name = self.construct_object(key, deep=True)
            # other types are not keys: reported below
            if not isinstance(name, str | int | float | bool):
                continue
            if name in seen:
                problem = f"the key `{name}` is given twice, first in line {seen[name]}"
                raise _RefusedError(problem, "remove one", key.start_mark)
            seen[name] = key.start_mark.line + 1
        return super().construct_mapping(node, deep)


def _unlike_its_looks(node: yaml.Node) -> tuple[str, str] | None:
    """Return what is wrong with a number or boolean that people read otherwise, and what to write.

    YAML 1.1 has octal (033) and hexadecimal numbers, underscores, minutes (1:30), yes, no, on, off.
    """
    kind, text = node.tag.rpartition(":")[2], node.value
    if not isinstance(node, yaml.ScalarNode) or node.style or kind not in _PLAIN:
        return None
    pattern, written = _PLAIN[kind]
    if pattern.fullmatch(text):
        return None
    value = yaml.safe_load(text)
    shown = str(value).lower() if kind == "bool" else value
    return f"is `{text}`, which YAML reads as {shown}", written


def _require_plain(top: yaml.Node) -> None:
    """Raise `MarkedYAMLError` if a value or key, at any depth, is not what it looks like."""
    todo: list[tuple[yaml.Node, tuple[str, ...]]] = [(top, ())]
    seen: set[int] = set()
    while todo:
        node, path = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if wrong := _unlike_its_looks(node):
            fault, written = wrong
            problem, remedy = f"`{'.'.join(path)}` {fault}", f"write {written}, or quote text"
            raise _RefusedError(problem, remedy, node.start_mark)
        if isinstance(node, yaml.SequenceNode):
            todo += [(item, (*path, str(index))) for index, item in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                below = (*path, str(key.value))
                todo += [(value, below), (key, below)]


def read_mapping(path: str | Path) -> dict[str, Any]:
    """Return what a YAML file of `key: value` holds; {} for an empty one.

    Raises `UserError` naming file, line and what is wrong for a file that is missing, not UTF-8 or
    not valid YAML, and for a key given twice.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError(path, f"not UTF-8 at byte {error.start}", "save it as UTF-8") from error
    except OSError as error:
        raise UserError(path, error.strerror or str(error), "give a readable file") from error
    try:
        _require_shallow(text)
        content = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        problem = error.problem or error.context or ""
        refused = isinstance(error, _RefusedError)
        remedy = error.remedy if refused else "fix the YAML there or just above"
        raise UserError(f"{path}{line}", problem, remedy) from error
    except (yaml.YAMLError, ValueError) as error:
        # a date or number that is none too
        raise UserError(path, f"not valid YAML ({str(error).splitlines()[0]})", "fix it") from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise UserError(path, "not a mapping", "give lines of the form `key: value`")
    _require_finite(content, path)
    return repeat_blocks(content, str(path))


def read_scalars(value: Any, path: tuple[str, ...] = ()) -> Any:
    """Return a value of Snakemake's --config with the numbers, truths and nulls of its blocks.

    Snakemake reads blocks and lists there with a loader that takes all that is in them for text.
    Raises `UserError`, by the `path` of keys, for what `read_mapping` refuses.
    """
    if isinstance(value, Mapping):
        return {key: read_scalars(inner, (*path, str(key))) for key, inner in value.items()}
    if isinstance(value, list):
        return [read_scalars(item, (*path, str(index))) for index, item in enumerate(value)]
    if not isinstance(value, str) or not value:
        return value
    try:
        node = yaml.compose(value, Loader=_Loader)
        if wrong := node and _unlike_its_looks(node):
            fault, written = wrong
            # quotes do not reach us
            remedy = f"write {written}; put text into a config file"
            raise ConfigError("--config", ".".join(path), fault, remedy)
        number = yaml.load(value, Loader=_Loader)
    except (yaml.YAMLError, ValueError):
        return value
    return number if isinstance(number, int | float | None) else value


def _require_shallow(text: str) -> None:
    """Raise `MarkedYAMLError` for what would take the loader in C, and with it Python, down."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            problem = "blocks are nested too deeply"
            raise _RefusedError(problem, "check its brackets", event.start_mark)


def _require_finite(content: dict[str, Any], path: str | Path) -> None:
    """Raise `UserError` for what aliases (`*name`) make endless or too much."""
    todo: list[Any] = [content]
    for _ in range(_MOST_VALUES):
        if not todo:
            return
        value = todo.pop()
        if isinstance(value, Mapping):
            todo += [*value, *value.values()]
        elif isinstance(value, list | set):
            todo += value
    raise UserError(path, f"more than {_MOST_VALUES} values", "remove aliases (*name)")


def repeat_blocks(value: Any, where: str) -> Any:
    """Return `value` with each block that has `for: {name: [value, ...]}` once for each value.

    `{name}` in its key and in all its texts is that value; of several names all combinations are
    taken, of several in one key ("name other") the values together, as lists. An item of a list may
    say `each` next to `for`: the item, if it is not a block. Raises `UserError`, which begins
    with `where`, for another `for` and for keys that are the same.
    """
    if isinstance(value, list):
        items = [copy for item in value for copy in _copies(None, item, where)]
        return [repeat_blocks(item, where) for _, item in items]
    if not isinstance(value, Mapping):
        return value
    repeated: dict[Any, Any] = {}
    for key, inner in value.items():
        for name, block in _copies(key, inner, where):
            if name in repeated:
                raise ConfigError(where, "for", f"gives the key `{name}` twice", "remove one")
            repeated[name] = repeat_blocks(block, where)
    return repeated


def _copies(key: Any, value: Any, where: str) -> Iterator[tuple[Any, Any]]:
    if not isinstance(value, Mapping) or "for" not in value:
        yield key, value
        return
    block: Any = {name: inner for name, inner in value.items() if name != "for"}
    if key is None and block.keys() == {"each"}:
        block = block["each"]
    for filled in _combinations(value["for"], where):
        yield _fill(key, filled), _fill(block, filled)


def _combinations(names: Any, where: str) -> Iterator[dict[str, str]]:
    """Yield the values of the names of a `for`; several names in one go have as many values."""
    wrong = ConfigError(where, "for", f"is {names!r}", "give it names with lists of values")
    if not (isinstance(names, Mapping) and all(isinstance(v, list) for v in names.values())):
        raise wrong
    keys = [str(words).split() for words in names]
    for values in itertools.product(*names.values()):
        filled: dict[str, str] = {}
        for words, value in zip(keys, values, strict=True):
            parts = value if isinstance(value, list) else [value]
            if len(parts) != len(words):
                raise wrong
            filled |= zip(words, map(str, parts), strict=True)
        yield filled


def _fill(value: Any, names: Mapping[str, str]) -> Any:
    """Return `value` with `{name}` replaced in its texts and keys; other braces stay."""
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda match: names.get(match[1], match[0]), value)
    if isinstance(value, Mapping):
        return {_fill(key, names): _fill(inner, names) for key, inner in value.items()}
    return [_fill(item, names) for item in value] if isinstance(value, list) else value
