"""The reference of every key of config, from the types of its blocks."""

import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from tools.doc_pages import markdown_table
from workflow_scripts import plugins
from workflow_scripts.configuration.config import Config
from workflow_scripts.corpora.kinds.register import KINDS as CORPORA
from workflow_scripts.datasets.formats.register import FORMATS
from workflow_scripts.figures.kinds.register import KINDS as FIGURES
from workflow_scripts.retrieval.dictionary_block import DictionaryBlock
from workflow_scripts.scoring.metric_names import load_metric
from workflow_scripts.scoring.metrics.register import metrics_of
from workflow_scripts.scoring.tasks.register import TASKS
from workflow_scripts.tables.kinds.register import KINDS as TABLES
from workflow_scripts.tuning.methods.register import METHODS
from workflow_scripts.tuning_grid.config import TuningGrid


def _class_in(package: str, kind: str) -> Callable[[str], type[BaseModel]]:
    return lambda name: getattr(plugins.load(package, name), kind)


# title, what tells its blocks apart, prefix of the keys, names in a register, type of a block
PACKAGES: tuple[tuple[str, str, str, tuple[str, ...], Callable[[str], type[BaseModel]]], ...] = (
    ("Recipes", "method", "recipes.<id>", METHODS, _class_in("tuning.methods", "Choices")),
    ("Corpora", "kind", "corpora.<id>", CORPORA, _class_in("corpora.kinds", "Options")),
    ("Data sets", "format", "datasets.<id>", FORMATS, _class_in("datasets.formats", "Entry")),
    ("Tables", "kind", "tables.<id>", TABLES, _class_in("tables.kinds", "Config")),
    ("Figures", "kind", "figures.<id>", FIGURES, _class_in("figures.kinds", "Config")),
)


def describe() -> str:
    """Return the generated part of the page."""
    return "\n".join(
        [
            _section("Every config", "", Config),
            *(_variants(*package) for package in PACKAGES),
            _section("Dictionaries", "dictionaries.<id>", DictionaryBlock),
            _section("The tuning grid", "tuning_grid", TuningGrid),
            _metrics(),
        ]
    )


def _metrics() -> str:
    """Return the metrics that rows and columns may name, by task; the primary one first."""
    about = "Values of the key `metric`. Without it a cell shows the first metric of its task."
    tasks: dict[str, list[str]] = {}
    for task in TASKS:
        for metric in metrics_of(task):
            tasks.setdefault(metric, []).append(task)
    rows = [
        [f"`{metric}`", ", ".join(having), _paragraph(load_metric(metric)[0].__doc__)]
        for metric, having in tasks.items()
    ]
    return f"## Metrics\n\n{about}\n\n{_table(['metric', 'tasks', 'what it is'], rows)}"


def sections() -> Iterator[tuple[str, str, type[BaseModel]]]:
    """Yield title, prefix of the keys and type of each block that a config may have."""
    yield "Every config", "", Config
    for title, kind, prefix, names, type_of in PACKAGES:
        for name in names:
            yield f"{title} of {kind} `{name}`", prefix, type_of(name)
    yield "Dictionaries", "dictionaries.<id>", DictionaryBlock
    yield "The tuning grid", "tuning_grid", TuningGrid


def _section(title: str, prefix: str, block: type[BaseModel]) -> str:
    rows = [[f"`{key}`", *row] for key, *row in _rows(prefix, block)]
    table = _table(["key", "value", "default", "what it is"], rows)
    return f"## {title}\n\n{_first_paragraph(block)}\n\n{table}"


def _variants(
    title: str,
    kind: str,
    prefix: str,
    names: Sequence[str],
    type_of: Callable[[str], type[BaseModel]],
) -> str:
    """Return a section of blocks that share most keys: each key once, with who has it."""
    blocks = {name: type_of(name) for name in names}
    about = _table(
        [kind, "what it is"],
        [[f"`{name}`", _first_paragraph(block)] for name, block in blocks.items()],
    )
    # by key and row: the names whose blocks have it
    owners: dict[str, dict[tuple[str, ...], list[str]]] = {}
    for name, block in blocks.items():
        for key, *row in _rows("", block):
            owners.setdefault(key, {}).setdefault(tuple(row), []).append(name)
    rows = []
    # what all have stands first
    for key, variants in sorted(
        owners.items(), key=lambda item: -(sum(map(len, item[1].values())) == len(names))
    ):
        for number, ((value, default, text), having) in enumerate(variants.items()):
            shown = f"`{key}`" if number == 0 else ""
            rows.append([shown, value, default, _whose(having, names), text])
    keys = _table(["key", "value", "default", "for", "what it is"], rows)
    return f"## {title}\n\nKeys of `{prefix}`, by `{kind}`:\n\n{about}\n{keys}"


def _whose(having: Sequence[str], names: Sequence[str]) -> str:
    """Return which of the names have a key: the shorter of two lists."""
    others = [name for name in names if name not in having]
    if len(others) < min(len(having), 4):
        return "all" if not others else f"all but {', '.join(others)}"
    return ", ".join(having)


def _table(heads: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    return "".join(f"{line}\n" for line in markdown_table(heads, rows))


def _first_paragraph(block: type[BaseModel]) -> str:
    # the docstring of the file is that of the one block in it
    return _paragraph(block.__doc__ or sys.modules[block.__module__].__doc__)


def _paragraph(text: str | None) -> str:
    return " ".join((text or "").strip().split("\n\n")[0].split())


def fields_of(prefix: str, block: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    """Yield the keys of a block and of those within it, after the prefix, with their fields."""
    for name, field in block.model_fields.items():
        name = field.alias or name
        key = f"{prefix}.{name}" if prefix else name
        yield key, field
        for path, inner in _blocks(field.annotation):
            yield from fields_of(f"{key}{path}", inner)


def _rows(prefix: str, block: type[BaseModel]) -> Iterator[tuple[str, str, str, str]]:
    for key, field in fields_of(prefix, block):
        default = "" if field.default is PydanticUndefined else _default(field.default)
        needed = "needed" if field.is_required() else default
        yield key, _type(field.annotation), needed, field.description or ""


def _default(value: Any) -> str:
    if value is None or isinstance(value, BaseModel):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def parts_of(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the one type; annotations and None left out."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, types.UnionType):
        found = [part for one in get_args(kind) for part in parts_of(one)]
        return tuple(part for part in found if part is not type(None))
    return (kind,)


_NAMES = {int: "whole number", float: "number", str: "text", bool: "true or false", Any: "any"}


def _type(kind: Any) -> str:
    return " or ".join(dict.fromkeys(_one_type(part) for part in parts_of(kind)))


def _one_type(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(kind))
    if get_origin(kind) in (list, tuple):
        return f"list of {_type(get_args(kind)[0])}"
    if get_origin(kind) is dict:
        return f"{_type(get_args(kind)[1])} by id"
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "block"
    return _NAMES.get(kind, getattr(kind, "__name__", str(kind)))


def _blocks(kind: Any) -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield the blocks within a type, with what stands between their keys and the field's."""
    for part in parts_of(kind):
        if isinstance(part, type) and issubclass(part, BaseModel):
            yield "", part
        elif get_origin(part) in (list, dict):
            path = "[]" if get_origin(part) is list else ".<id>"
            for inner, block in _blocks(get_args(part)[-1]):
                yield f"{path}{inner}", block
