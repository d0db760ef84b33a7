"""The strings under one key of a file of JSON lines: an object a line, blank lines ignored."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.corpora.block import SampledBlock, one_file
from workflow_scripts.errors import UserError
from workflow_scripts.files import parse_json, stream_lines

RANDOM = True
list_files = one_file

_REMEDY = "fix or remove the line"
_JSON_NAMES = {
    dict: "an object",
    list: "a list",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


class Options(SampledBlock):
    holds = "strings"
    mem_mb = 8000
    minutes = 30

    path: Text = Field(description="The file, a JSON object a line; gzipped if it ends in `.gz`.")
    key: Text = Field(description="The key of each object that has the string, such as `title`.")


def strings(root: Path, options: Options, seed: int, dropped: Counter[str]) -> Iterator[str]:
    path, key = root / options.path, options.key
    for number, line in enumerate(stream_lines(path), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        entry = parse_json(line, path, number)
        if not isinstance(entry, dict):
            problem = f"expected a JSON object, found {_JSON_NAMES[type(entry)]}"
            raise UserError(where, problem, _REMEDY)
        if key not in entry:
            problem = f"the object has no key {key!r}"
            raise UserError(where, problem, f"{_REMEDY}, or change `key`")
        if not isinstance(entry[key], str):
            problem = f"the key {key!r} has {_JSON_NAMES[type(entry[key])]}, not a string"
            raise UserError(where, problem, f"{_REMEDY}, or change `key`")
        yield entry[key]
