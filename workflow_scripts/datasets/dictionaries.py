"""Dictionaries of concept names: MEDIC, CTD, MeSH terms, `id||name` of SapBERT, `id<TAB>name`.

A dictionary entry is a name with the concept ids it stands for.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

from workflow_scripts.datasets.concept_ids import ConceptIds, split_concept_ids
from workflow_scripts.datasets.rows import require_ids
from workflow_scripts.delimited import REMOVE, Layout, malformed, read_rows, refuse_header
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


def read_dictionary(
    paths: list[Path],
    form: str,
    lower_case: bool,
    mentions: Iterable[tuple[str, list[str]]] = (),
    shared_names: str = "apart",
    clean: Callable[[str], str] | None = None,
    concepts: ConceptIds | None = None,
) -> tuple[list[str], list[list[str]]]:
    """Return the names of the dictionaries, and for each name its concept ids.

    `form` is a key of `READERS`; `mentions` are further (name, concept ids). `clean` is done to the
    files' names; with it, mentions with a concept that the files lack are left out. `concepts` has
    the ids that they are compared with, and gets those of the files. A (concept,
    name) pair that is repeated (often only after lower-casing) is one entry, since it would take a
    place among the best k. A name that several concepts share has an entry for each of them, or
    with `shared_names` "merged" one entry that stands for all of them.
    """
    concepts = concepts or ConceptIds()
    rows: list[tuple[str, list[str]]] = []
    entries: dict[tuple[str, tuple[str, ...]], None] = {}

    def add(name: str, ids: list[str]) -> None:
        entries[(name.lower() if lower_case else name, tuple(ids))] = None

    for path in paths:
        for row, (line, ids_text, names) in enumerate(READERS[form](path)):
            if row == 0:
                refuse_header([*ids_text.split("|"), *names[:1]], "a name", REMOVE, path, line)
            ids = split_concept_ids(ids_text)
            names_of_row = [name for text in names if (name := " ".join(text.split()))]
            if not ids or not names_of_row:
                raise malformed(path, line, "no name" if ids else "no concept id")
            require_ids(ids, path, line)
            concepts.note(ids)
            rows += [(name, ids) for name in names_of_row]
    mentions = list(mentions)
    for _, ids in mentions:
        concepts.note(ids)
    for name, ids in rows:
        if cleaned := clean(name) if clean else name:
            add(cleaned, concepts.plain(ids))
    known = {identity for _, ids in entries for identity in ids}
    for name, ids in mentions:
        own = concepts.plain(ids)
        if clean is None or known.issuperset(own):
            add(" ".join(name.split()), own)
    if not entries:
        raise UserError(
            ", ".join(map(str, paths)), "the dictionary is empty", "fill it or fetch it again"
        )
    if shared_names == "apart":
        return [name for name, _ in entries], [list(ids) for _, ids in entries]
    merged: dict[str, dict[str, None]] = {}
    for name, more_ids in entries:
        merged.setdefault(name, {}).update(dict.fromkeys(more_ids))
    return list(merged), [list(ids) for ids in merged.values()]
