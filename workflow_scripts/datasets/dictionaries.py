"""Dictionaries of concept names: MEDIC, CTD, MeSH terms, `id||name` of SapBERT, `id<TAB>name`.

A dictionary entry is a name with the concept ids it stands for.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from workflow_scripts.datasets.concept_ids import split_concept_ids
from workflow_scripts.datasets.rows import require_ids
from workflow_scripts.datasets.strings import normalise_whitespace
from workflow_scripts.delimited import Layout, malformed, read_rows, refuse_header
from workflow_scripts.errors import UserError

# Rows of the readers below: line number, concept ids as written, names.
_Rows = Iterator[tuple[int, str, list[str]]]
DictionaryFormat = Literal["medic", "ctd-chemicals", "mesh-terms", "id-name", "id-tab-name"]


def one_name(ids: str, name: str) -> tuple[str, list[str]]:
    return ids, [name]


def reader(
    layout: Layout, entry: Callable[..., tuple[str, list[str]]] = one_name
) -> Callable[[Path], _Rows]:
    """Return what reads a file of a layout; `entry` makes ids and names of the fields of a row."""

    def read(path: Path) -> _Rows:
        return ((line, *entry(*fields)) for line, fields in read_rows(path, layout))

    return read


READERS: dict[str, Callable[[Path], _Rows]] = {
    # MEDIC as BioSyn ships it, without prefixes of ids
    "medic": reader(
        Layout((1, 2), "id|alternative id||name|name", exact=True, delimiter="||"),
        lambda ids, names: (ids, names.split("|")),
    ),
    # name, id (`MESH:...`), five that are not read, synonyms joined by `|`
    "ctd-chemicals": reader(
        Layout(
            *((2, 1, 8), "the 8 columns of CTD's chemicals"),
            skip=lambda text: text.startswith("#") or not text.strip(),
        ),
        lambda identity, name, synonyms: (identity, [name, *synonyms.split("|")]),
    ),
    "mesh-terms": reader(Layout(("mesh_id", "mesh_name"))),
    # blank lines and names without a concept are passed over
    "id-name": reader(
        Layout(
            *((1, 2), "id||name"),
            exact=True,
            delimiter="||",
            skip=lambda text: text.partition("||")[0].strip().lower() in ("", "cui-less"),
        )
    ),
    # Chen et al. 2021
    "id-tab-name": reader(
        Layout((1, 2, 3), "a row of id<TAB>name<TAB>alternative ids"),
        lambda identity, name, others: (f"{identity}|{others}", [name]),
    ),
}


def read_dictionary(paths: list[Path], form: str) -> list[tuple[str, list[str]]]:
    """Return the names of dictionaries, each with its concept ids as written; they may repeat.

    `form` is a key of `READERS`. Raises `UserError`, with file and line, for a row without name or
    id, and for files without a name.
    """
    entries: list[tuple[str, list[str]]] = []
    for path in paths:
        for row, (line, ids_text, names) in enumerate(READERS[form](path)):
            if row == 0:
                refuse_header([*ids_text.split("|"), *names[:1]], "a name", path, line)
            ids = split_concept_ids(ids_text)
            names_of_row = list(filter(None, map(normalise_whitespace, names)))
            if not ids or not names_of_row:
                raise malformed(path, line, "no name" if ids else "no concept id")
            require_ids(ids, path, line)
            entries += [(name, ids) for name in names_of_row]
    if not entries:
        raise UserError(
            ", ".join(map(str, paths)), "the dictionary is empty", "fill it or fetch it again"
        )
    return entries
