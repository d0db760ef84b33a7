"""Ontologies in OBO format, such as the Human Phenotype Ontology: names, synonyms, definitions."""

import re
from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import stream_lines

NAMES = ("name", "synonym")
_QUOTED = re.compile(r'\s*"((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")


def read_obo(path: Path, tags: Collection[str] = NAMES) -> Iterator[str]:
    """Yield the texts of `tags` (of name, synonym, def) in the file's order, gzipped if `.gz`.

    Of a line `synonym: "text" EXACT []` or `def: "text" [sources]` the quoted text counts, of
    `name: text` all behind the colon. Obsolete terms count too.
    """
    has_name = False
    for line in stream_lines(path):
        tag, separator, value = line.partition(":")
        if not separator or tag not in (*tags, "name"):
            continue
        has_name = has_name or tag == "name"
        if tag in tags and (text := _text_of(tag, value)):
            yield text
    if not has_name:
        raise _no_ontology(path, "name: ...")


def read_obo_terms(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Yield line and id of each term that is not obsolete, and its name and synonyms."""
    has_term = False
    names: list[str] = []
    line, identity, is_term = 0, "", False
    # a header that ends the last stanza
    for number, text in enumerate(chain(stream_lines(path), ["[End]"]), start=1):
        if text.startswith("["):
            if is_term and identity and names:
                yield line, identity, names
            has_term = has_term or is_term
            line, identity, names, is_term = number, "", [], text.strip() == "[Term]"
            continue
        tag, separator, value = text.partition(":")
        if tag == "id" and separator:
            # before a comment or a trailing modifier
            identity = re.split(r"[!{]", value)[0].strip()
        elif tag in NAMES and separator and (name := _text_of(tag, value)):
            names.append(name)
        elif tag == "is_obsolete" and value.strip().startswith("true"):
            is_term, has_term = False, True
    if not has_term:
        raise _no_ontology(path, "[Term]")


def _text_of(tag: str, value: str) -> str:
    if tag != "name":
        quoted = _QUOTED.match(value)
        value = _ESCAPED.sub(r"\1", quoted[1]) if quoted else ""
    return " ".join(value.split())


def _no_ontology(path: Path, what: str) -> UserError:
    return UserError(
        path, f"no line '{what}': this is not an ontology in OBO format", "choose another format"
    )
