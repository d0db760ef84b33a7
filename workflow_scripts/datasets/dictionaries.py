"""Dictionaries of concept names: MEDIC, CTD, MeSH terms, `id||name` of SapBERT, `id<TAB>name`.

A dictionary entry is a name with the concept ids it stands for. Ids are compared without the
prefix of their vocabulary, since MEDIC writes `215600` where a corpus writes `OMIM:215600`.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, read_rows

_PREFIX = re.compile(r"^[A-Za-z]+:")
_CTD_COLUMNS = 8
# Rows of the readers below: line number, concept ids, names.
_Rows = Iterator[tuple[int, list[str], list[str]]]


def split_concept_ids(text: str) -> list[str]:
    """Return the ids joined by `|` or `+`, trimmed, without `MESH:`, `OMIM:` or the like.

    The ids `-1` and `cui-less`, which say that a mention has no concept, are left out, as are
    repeated ids.
    """
    parts = (_PREFIX.sub("", part.strip()) for part in re.split(r"[|+]", text))
    ids = (part for part in parts if part and part != "-1")
    return list(dict.fromkeys(part for part in ids if part.lower() not in ("cui-less", "cui_less")))


def _read_medic(path: Path) -> _Rows:
    """Read MEDIC as BioSyn ships it: `id|alternative id||name|name|...`, without prefixes."""
    for line, text in enumerate(read_lines(path), start=1):
        ids, separator, names = text.partition("||")
        if not separator:
            raise UserError(
                f"{path}:{line}: expected id|alternative id||name|name, found {text[:60]!r}; "
                "mend or remove the line"
            )
        yield line, split_concept_ids(ids), names.split("|")


def _read_mesh_terms(path: Path) -> _Rows:
    """Read a table with the columns mesh_id and mesh_name."""
    for line, row in read_headed_rows(path, ["mesh_id", "mesh_name"]):
        yield line, split_concept_ids(row["mesh_id"]), [row["mesh_name"]]


def _read_id_name(path: Path) -> _Rows:
    """Read lines of `id||name`; several ids of one name are joined by `|` or `+`.

    Blank lines and names without a concept (`cui-less`) are passed over, as upstream does.
    """
    for line, text in enumerate(read_lines(path), start=1):
        ids, separator, name = text.partition("||")
        if not text.strip() or ids.strip().lower() == "cui-less":
            continue
        if not separator:
            raise UserError(
                f"{path}:{line}: expected id||name, found {text[:60]!r}; mend or remove the line"
            )
        yield line, split_concept_ids(ids), [name]


def _read_id_tab_name(path: Path) -> _Rows:
    """Read rows of id, name and alternative ids (Chen et al. 2021)."""
    for line, fields in read_rows(path, 3, "a row of id<TAB>name<TAB>alternative ids"):
        yield line, split_concept_ids(f"{fields[0]}|{fields[2]}"), [fields[1]]


def _read_ctd_chemicals(path: Path) -> _Rows:
    """Read the chemical vocabulary of CTD, whose header is a comment.

    Columns: name, id (`MESH:...`), five that are not read, synonyms joined by `|`.
    """
    for line, text in enumerate(read_lines(path), start=1):
        if text.startswith("#") or not text.strip():
            continue
        fields = text.split("\t")
        if len(fields) < _CTD_COLUMNS:
            raise UserError(
                f"{path}:{line}: expected the {_CTD_COLUMNS} columns of CTD's chemicals, found "
                f"{len(fields)}; mend or remove the line"
            )
        synonyms = fields[_CTD_COLUMNS - 1].split("|")
        yield line, split_concept_ids(fields[1]), [fields[0], *synonyms]


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
) -> tuple[list[str], list[list[str]]]:
    """Return the names of the dictionaries, and for each name its concept ids.

    `form` is a key of `READERS`; `mentions` are further (name, concept ids). An entry is a
    (concept, name) pair, and one that is repeated for the same concept (often only after
    lower-casing) is one entry, since a repeated one would take a place among the best k. A name
    that several concepts share has an entry for each of them, or with `shared_names` "merged" one
    entry that stands for all of them.

    Raises `UserError` for a malformed row, a row without id or name, and an empty dictionary.
    """
    entries: dict[tuple[str, tuple[str, ...]], None] = {}

    def add(name: str, ids: list[str]) -> None:
        entries[(name.lower() if lower_case else name, tuple(ids))] = None

    for path in paths:
        for line, ids, names in READERS[form](path):
            found = [" ".join(name.split()) for name in names]
            if not ids or not any(found):
                missing = "name" if ids else "concept id"
                raise UserError(f"{path}:{line}: no {missing}; mend or remove the line")
            for name in found:
                if name:
                    add(name, ids)
    for name, ids in mentions:
        add(" ".join(name.split()), ids)
    if not entries:
        raise UserError(f"{', '.join(map(str, paths))}: the dictionary is empty; fetch it again")
    if shared_names == "apart":
        return [name for name, _ in entries], [list(ids) for _, ids in entries]
    merged: dict[str, dict[str, None]] = {}
    for name, ids in entries:
        merged.setdefault(name, {}).update(dict.fromkeys(ids))
    return list(merged), [list(ids) for ids in merged.values()]
