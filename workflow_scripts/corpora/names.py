"""Names to tune on: one per line, or from the UMLS Metathesaurus file MRCONSO.RRF."""

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path

from workflow_scripts.errors import UserError

# Columns of MRCONSO.RRF (UMLS Reference Manual, Metathesaurus - Rich Release Format).
_LANGUAGE, _SOURCE, _STRING, _SUPPRESS = 1, 11, 14, 16
_COLUMNS = 18


def read_mrconso(
    path: Path, language: str, sources: Iterable[str] | None, suppress: Iterable[str]
) -> Iterator[str]:
    """Yield the names (STR) of the rows of a language, of given sources and suppress flags.

    `sources` None takes all sources. The file has millions of rows and is read row by row;
    gzipped if its name ends in .gz. Raises `UserError` for a missing file, a row without the 18
    columns, and text that is not UTF-8.
    """
    if not path.is_file():
        raise UserError(
            f"{path}: no such file; UMLS is licensed: get MRCONSO.RRF from "
            "https://www.nlm.nih.gov/research/umls and put it there"
        )
    wanted_sources = None if sources is None else set(sources)
    wanted_flags = set(suppress)
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as stream:
        for line, raw in enumerate(stream, start=1):
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise UserError(
                    f"{path}:{line}: not UTF-8 text; convert the file to UTF-8"
                ) from error
            fields = text.rstrip("\r\n").split("|")
            # Each of the 18 columns ends with a bar, which makes an empty nineteenth.
            if len(fields) < _COLUMNS:
                raise UserError(
                    f"{path}:{line}: expected the {_COLUMNS} columns of MRCONSO.RRF, found "
                    f"{len(fields)}; mend or remove the line"
                )
            if (
                fields[_LANGUAGE] == language
                and fields[_SUPPRESS] in wanted_flags
                and (wanted_sources is None or fields[_SOURCE] in wanted_sources)
            ):
                yield fields[_STRING]
