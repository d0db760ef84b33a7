"""Write the reference of every key of config from the types of its blocks.

`make docs` writes docs/config-keys.md; a test compares that file with what it would write.
"""

import argparse
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from workflow_scripts import plugins
from workflow_scripts.configuration.config import Config
from workflow_scripts.corpora.kinds.register import KINDS as CORPORA
from workflow_scripts.datasets.entry import entry_type
from workflow_scripts.datasets.formats.register import FORMATS
from workflow_scripts.figures.kinds.register import KINDS as FIGURES
from workflow_scripts.files import write_text
from workflow_scripts.retrieval.dictionary_block import DictionaryBlock
from workflow_scripts.scoring.metric_names import load_metric
from workflow_scripts.scoring.metrics.register import metrics_of
from workflow_scripts.scoring.tasks.register import TASKS
from workflow_scripts.tables.kinds.register import KINDS as TABLES
from workflow_scripts.tuning.methods.register import METHODS
from workflow_scripts.tuning_grid.config import TuningGrid

HEAD = """# Every key of the config

Made by `make docs` from the types that check a config (`class ...(Block)` in `workflow_scripts`);
how files override each other, and what the blocks are for, is described in [config.md](config.md).
`<id>` stands for an id, `[]` for each item of a list.
"""


def _class_in(package: str, kind: str) -> Callable[[str], type[BaseModel]]:
    return lambda name: getattr(plugins.load(package, name), kind)


# title, prefix of the keys, names in a register, type of the blocks of a name
PACKAGES: tuple[tuple[str, str, tuple[str, ...], Callable[[str], type[BaseModel]]], ...] = (
    ("Recipes of method `{}`", "recipes.<id>", METHODS, _class_in("tuning.methods", "Choices")),
    ("Corpora of kind `{}`", "corpora.<id>", CORPORA, _class_in("corpora.kinds", "Options")),
    ("Data sets of format `{}`", "datasets.<id>", FORMATS, entry_type),
    ("Tables of kind `{}`", "tables.<id>", TABLES, _class_in("tables.kinds", "Config")),
    ("Figures of kind `{}`", "figures.<id>", FIGURES, _class_in("figures.kinds", "Config")),
)


def describe() -> str:
    """Return the page."""
    return "\n".join([HEAD, *(_section(*section) for section in sections()), _metrics()])


def _metrics() -> str:
    """Return the metrics that rows and columns may name, by task; the primary one first."""
    about = "Values of the key `metric`; without one it is the primary one, first here."
    lines = ["## Metrics", "", about, "", "| task | metric | what it is |", "| --- | --- | --- |"]
    for task in TASKS:
        for metric in metrics_of(task):
            about = _paragraph(load_metric(metric)[0].__doc__)
            lines.append(f"| {task} | `{metric}` | {_cell(about)} |")
    return "\n".join(lines) + "\n"


def sections() -> Iterator[tuple[str, str, type[BaseModel]]]:
    """Yield title, prefix of the keys and type of each block of the page."""
    yield "Every config", "", Config
    for title, prefix, names, type_of in PACKAGES:
        for name in names:
            yield title.format(name), prefix, type_of(name)
    yield "Dictionaries", "dictionaries.<id>", DictionaryBlock
    yield "The tuning grid", "tuning_grid", TuningGrid


def _section(title: str, prefix: str, block: type[BaseModel]) -> str:
    head = f"## {title}\n\n{_first_paragraph(block)}\n\n"
    lines = ["| key | value | default | what it is |", "| --- | --- | --- | --- |"]
    lines += [
        f"| `{key}` | {_cell(value)} | {default} | {_cell(description)} |"
        for key, value, default, description in _rows(prefix, block)
    ]
    return head + "\n".join(lines) + "\n"


def _first_paragraph(block: type[BaseModel]) -> str:
    # what is said of the file holds for the one block in it
    return _paragraph(block.__doc__ or sys.modules[block.__module__].__doc__)


def _paragraph(text: str | None) -> str:
    return " ".join((text or "").strip().split("\n\n")[0].split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


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


def write_page(text: str, what: str | None, argv: list[str] | None = None) -> None:
    """Write a page to the file that the command line names; `what` is the command's help."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--output", required=True, type=Path, metavar="FILE")
    write_text(parser.parse_args(argv).output, text)


if __name__ == "__main__":
    write_page(describe(), __doc__)
