"""Ontologies in OBO format, such as the Human Phenotype Ontology: names, synonyms, definitions."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines

NAMES = ("name", "synonym")
_QUOTED = re.compile(r'\s*"((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")


def read_obo(path: Path, tags: Collection[str] = NAMES) -> Iterator[str]:
    """Yield the texts of `tags` (of name, synonym, def) in the file's order, gzipped if `.gz`.

    Of a line `synonym: "text" EXACT []` or `def: "text" [sources]` the quoted text counts, of
    `name: text` all behind the colon. Obsolete terms count too.
    """
    found = False
    for line in read_lines(path):
        tag, separator, value = line.partition(":")
        if not separator or tag not in (*tags, "name"):
            continue
        if tag == "name":
            found = True
        else:
            quoted = _QUOTED.match(value)
            value = _ESCAPED.sub(r"\1", quoted[1]) if quoted else ""
        if tag in tags and (text := " ".join(value.split())):
            yield text
    if not found:
        remedy = "so no ontology in OBO format; choose another format"
        raise UserError(f"{path}: no line 'name: ...', {remedy}")
