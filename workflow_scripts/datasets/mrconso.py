"""MRCONSO.RRF and MRSTY.RRF, the names and semantic types of the UMLS Metathesaurus.

UMLS Reference Manual, Metathesaurus Rich Release Format.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError, nearest_name

# each column ends with a bar
_COLUMNS = (
    *("CUI", "LAT", "TS", "LUI", "STT", "SUI", "ISPREF", "AUI", "SAUI", "SCUI", "SDUI", "SAB"),
    *("TTY", "CODE", "STR", "SRL", "SUPPRESS", "CVF"),
)
# CUI, TUI (T047), STY (its name)
_TYPES = Layout((1, 2, 4), "the 6 columns of MRSTY.RRF", width=6, delimiter="|")


def read_mrconso(
    path: Path,
    language: str,
    sources: Iterable[str] | None,
    suppress: Iterable[str],
    where: Mapping[str, Sequence[str]] | None = None,
    concepts: Collection[str] | None = None,
) -> Iterator[tuple[int, str, str]]:
    """Yield line, concept (CUI) and name (STR) of a language, of given sources and suppress flags.

    `where` has values of columns by name, such as TTY; its LAT, SAB and SUPPRESS count instead of
    the three. `sources` None takes all; one that the file has no row of is a `UserError` at its
    end. `concepts` None takes all. The file, gzipped if `.gz`, has millions of rows: read row by
    row.
    """
    values: dict[str, Iterable[str]] = {"LAT": [language], "SUPPRESS": suppress}
    if sources is not None:
        values["SAB"] = sources
    values |= where or {}
    wanted_sources = {*values["SAB"]} if "SAB" in values else None
    for name in values:
        if name not in _COLUMNS:
            raise UserError(
                f"--where {name}", "not a column of MRCONSO", nearest_name(name, _COLUMNS)
            )
    known_sources: set[str] = set()
    numbers = [1 + _COLUMNS.index(name) for name in ("CUI", "SAB", "STR", *values)]
    layout = Layout(numbers, "the 18 columns of MRCONSO.RRF", width=18, delimiter="|")
    choices = [{*some} for some in values.values()]
    for line, (concept, source, name, *fields) in read_rows(path, layout):
        known_sources.add(source)
        if concepts is not None and concept not in concepts:
            continue
        if all(field in some for field, some in zip(fields, choices, strict=True)):
            yield line, concept, name
    for source in sorted((wanted_sources or set()) - known_sources):
        hint = nearest_name(source, known_sources)
        raise UserError(path, f"no row of source {source}", hint)


def semantic_types_file(names: Path) -> Path:
    """Return MRSTY.RRF next to a file MRCONSO.RRF; `UserError` where there is none."""
    for name in ("MRSTY.RRF", "MRSTY.RRF.gz"):
        if (path := names.with_name(name)).is_file():
            return path
    problem = f"no MRSTY.RRF next to {names}"
    raise UserError("--semantic-types", problem, "put the one of the same UMLS release there")


def concepts_of_types(path: Path, types: Iterable[str]) -> set[str]:
    """Return the concepts (CUI) of MRSTY.RRF that have one of the semantic types.

    A type is its identifier, T047, or its name, "Disease or Syndrome", in any case. Raises
    `UserError` for one that the file does not have.
    """
    names: dict[str, str] = {}
    named = {name.casefold(): name for name in types}
    concepts = set()
    for _, (concept, identifier, name) in read_rows(path, _TYPES):
        keys = (identifier.casefold(), name.casefold())
        if keys[0] not in names:
            names |= dict(zip(keys, (identifier, name), strict=True))
        if not named.keys().isdisjoint(keys):
            concepts.add(concept)
    for key in sorted(named.keys() - names.keys()):
        hint = nearest_name(named[key], names.values())
        raise UserError(f"--semantic-types {named[key]}", f"no such type in {path}", hint)
    return concepts
