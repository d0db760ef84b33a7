"""Dictionaries of concept names: MEDIC, CTD, MeSH terms, `id||name` of SapBERT, `id<TAB>name`.

A dictionary entry is a name with the concept ids it stands for.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

from workflow_scripts.datasets.concept_ids import ConceptIds, split_concept_ids
from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.datasets.rows import (
    REMOVE,
    malformed,
    read_split_lines,
    refuse_header,
    require_ids,
)
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, read_rows

_CTD_COLUMNS = 8
_NOTHING = ("", "cui-less")
# Rows of the readers below: line number, concept ids as written, names.
_Rows = Iterator[tuple[int, str, list[str]]]
DictionaryFormat = Literal["medic", "ctd-chemicals", "mesh-terms", "id-name", "id-tab-name"]


def _read_medic(path: Path) -> _Rows:
    """Read MEDIC as BioSyn ships it: `id|alternative id||name|name|...`, without prefixes."""
    for line, (ids, names) in read_split_lines(path, "||", 2, "id|alternative id||name|name"):
        yield line, ids, names.split("|")


def _read_mesh_terms(path: Path) -> _Rows:
    for line, row in read_headed_rows(path, ["mesh_id", "mesh_name"]):
        yield line, row["mesh_id"], [row["mesh_name"]]


def _read_id_name(path: Path) -> _Rows:
    """Read lines of `id||name`; blank ones and names without a concept are passed over."""
    for line, (ids, name) in read_split_lines(
        path, "||", 2, "id||name", lambda text: text.partition("||")[0].strip().lower() in _NOTHING
    ):
        yield line, ids, [name]


def _read_id_tab_name(path: Path) -> _Rows:
    """Read rows of id, name and alternative ids (Chen et al. 2021)."""
    for line, fields in read_rows(path, 3, "a row of id<TAB>name<TAB>alternative ids"):
        yield line, f"{fields[0]}|{fields[2]}", [fields[1]]


def _read_ctd_chemicals(path: Path) -> _Rows:
    """Read rows of name, id (`MESH:...`), five that are not read, synonyms joined by `|`."""
    for line, text in enumerate(read_lines(path), start=1):
        fields = text.split("\t")
        if text.startswith("#") or not text.strip():
            continue
        if len(fields) < _CTD_COLUMNS:
            what = f"expected the {_CTD_COLUMNS} columns of CTD's chemicals, found {len(fields)}"
            raise malformed(path, line, what)
        yield line, fields[1], [fields[0], *fields[_CTD_COLUMNS - 1].split("|")]


READERS: dict[str, Callable[[Path], _Rows]] = {
    "medic": _read_medic,
    "ctd-chemicals": _read_ctd_chemicals,
    "mesh-terms": _read_mesh_terms,
    "id-name": _read_id_name,
    "id-tab-name": _read_id_tab_name,
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
            found = [name for one in names if (name := " ".join(one.split()))]
            if not ids or not found:
                raise malformed(path, line, "no name" if ids else "no concept id")
            require_ids(ids, path, line)
            concepts.note(ids)
            rows += [(name, ids) for name in found]
    mentions = list(mentions)
    for _, ids in mentions:
        concepts.note(ids)
    for name, ids in rows:
        if cleaned := clean(name) if clean else name:
            add(cleaned, concepts.plain(ids))
    known = {one for _, ids in entries for one in ids}
    for name, ids in mentions:
        own = concepts.plain(ids)
        if clean is None or known.issuperset(own):
            add(" ".join(name.split()), own)
    if not entries:
        raise UserError(", ".join(map(str, paths)), "the dictionary is empty", "fetch it again")
    if shared_names == "apart":
        return [name for name, _ in entries], [list(ids) for _, ids in entries]
    merged: dict[str, dict[str, None]] = {}
    for name, ids in entries:
        merged.setdefault(name, {}).update(dict.fromkeys(ids))
    return list(merged), [list(ids) for ids in merged.values()]
