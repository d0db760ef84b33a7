"""MRCONSO.RRF, the names of the UMLS Metathesaurus (UMLS Reference Manual, Rich Release Format)."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from workflow_scripts.datasets.rows import malformed
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.files import stream_lines

_CONCEPT, _LANGUAGE, _SOURCE, _STRING, _SUPPRESS = 0, 1, 11, 14, 16
_COLUMNS = 18


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
    for line, text in enumerate(stream_lines(path), start=1):
        fields = text.split("|")
        # Each of the 18 columns ends with a bar, which makes an empty nineteenth.
        if len(fields) < _COLUMNS:
            what = f"expected the {_COLUMNS} columns of MRCONSO.RRF, found {len(fields)}"
            raise malformed(path, line, what)
        known_sources.add(fields[_SOURCE])
        if (
            fields[_LANGUAGE] == language
            and fields[_SUPPRESS] in wanted_flags
            and (wanted_sources is None or fields[_SOURCE] in wanted_sources)
        ):
            yield line, fields[_CONCEPT], fields[_STRING]
    for source in sorted((wanted_sources or set()) - known_sources):
        hint = nearest_name(source, known_sources)
        raise UserError(path, f"no row of source {source}", hint)
