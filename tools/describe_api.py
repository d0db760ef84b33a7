"""The reference of the Python API, from the signatures and docstrings of `mirror_bert`."""

import inspect
import re
from types import ModuleType
from typing import Any

import mirror_bert
from mirror_bert import sentence_transformers

# the parts of a class that users need
MEMBERS = {
    "Encoder": (
        *("encode", "save", "push_to_hub", "to_sentence_transformers", "dimension", "name"),
    ),
    "EncoderSettings": ("prompt",),
}


def describe() -> str:
    """Return the generated part of the page."""
    modules = (mirror_bert, sentence_transformers)
    return "\n".join(_section(each, name) for each in modules for name in each.__all__)


def _section(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    lines = [f"## `{module.__name__}.{name}`\n"]
    is_made_by_users = name == "EncoderSettings" or module is sentence_transformers
    if inspect.isfunction(value) or is_made_by_users:
        lines.append(f"```python\n{_signature(name, value)}\n```\n")
    lines.append(f"{inspect.getdoc(value)}\n")
    for member in MEMBERS.get(name, ()):
        inner = inspect.getattr_static(value, member)
        if isinstance(inner, property):
            lines.append(f"`{member}`: {inspect.getdoc(inner)}\n")
        else:
            lines.append(f"### `{name}.{member}`\n")
            lines.append(f"```python\n{_signature(member, inner)}\n```\n")
            lines.append(f"{inspect.getdoc(inner)}\n")
    return "\n".join(lines)


def _signature(name: str, function: Any) -> str:
    """Return a signature with a parameter a line."""
    lines = []
    signature = inspect.signature(function)
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in lines:
            lines.append("*")
        stars = "**" if parameter.kind is inspect.Parameter.VAR_KEYWORD else ""
        text = f"{stars}{parameter.name}: {_type(parameter.annotation)}"
        if parameter.default is not inspect.Parameter.empty:
            text += f" = {_default(parameter.default)}"
        lines.append(text)
    inner = "".join(f"    {line},\n" for line in lines)
    returned = "" if inspect.isclass(function) else f" -> {_type(signature.return_annotation)}"
    return f"{name}(\n{inner}){returned}" if inner else f"{name}(){returned}"


def _type(annotation: Any) -> str:
    """Return a type as users write it, without modules."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(\w+\.)+(?=\w)", "", text)


def _default(value: Any) -> str:
    # not the path of this machine of a file that comes with the package
    text = re.sub(r"(Posix)?Path\('[^']*/(config/[^']*)'\)", r"'\2'", repr(value))
    return text.replace("<factory>", "{}")
