"""MRCONSO.RRF, the names of the UMLS Metathesaurus (UMLS Reference Manual, Rich Release Format)."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError, nearest_name

# CUI, LAT, SAB, STR and SUPPRESS; each of the 18 columns ends with a bar
_LAYOUT = Layout((1, 2, 12, 15, 17), "the 18 columns of MRCONSO.RRF", width=18, delimiter="|")


def read_mrconso(
    path: Path, language: str, sources: Iterable[str] | None, suppress: Iterable[str]
) -> Iterator[tuple[int, str, str]]:
    """Yield line, concept (CUI) and name (STR) of a language, of given sources and suppress flags.

    `sources` None takes all; one that the file has no row of is a `UserError` at its end. The file,
    gzipped if `.gz`, has millions of rows: read row by row.
    """
    known_sources: set[str] = set()
    wanted_sources = None if sources is None else set(sources)
    wanted_flags = set(suppress)
    for line, (concept, own_language, source, name, flag) in read_rows(path, _LAYOUT):
        known_sources.add(source)
        is_of_source = wanted_sources is None or source in wanted_sources
        if is_of_source and own_language == language and flag in wanted_flags:
            yield line, concept, name
    for source in sorted((wanted_sources or set()) - known_sources):
        hint = nearest_name(source, known_sources)
        raise UserError(path, f"no row of source {source}", hint)
