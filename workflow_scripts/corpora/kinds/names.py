"""A sample of names: one per line, of the UMLS Metathesaurus, or of an ontology."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationInfo, field_validator

from workflow_scripts.configuration.blocks import Field, Text, mistake
from workflow_scripts.corpora.block import SampledBlock, one_file
from workflow_scripts.corpora.obo import read_obo
from workflow_scripts.datasets.rows import malformed
from workflow_scripts.files import read_lines, stream_lines

RANDOM = True
list_files = one_file
# Columns of MRCONSO.RRF (UMLS Reference Manual, Metathesaurus - Rich Release Format).
_LANGUAGE, _SOURCE, _STRING, _SUPPRESS = 1, 11, 14, 16
_COLUMNS = 18


class Options(SampledBlock):
    mem_mb = 8000
    minutes = 30

    path: Text = Field(description="File of the names.")
    format: Literal["lines", "mrconso", "obo"] = Field(
        "lines", description="One per line, UMLS's MRCONSO.RRF, an ontology's names and synonyms."
    )
    language: Text = Field("ENG", description="Of mrconso, the column LAT.")
    sources: list[Text] | None = Field(None, description="Of mrconso, the SAB to take; else all.")
    suppress: list[Text] = Field(["N"], description="Of mrconso, the flags (SUPPRESS) to take.")

    @field_validator("language", "sources", "suppress")
    @classmethod
    def _of_mrconso(cls, value: Any, info: ValidationInfo) -> Any:
        if info.data.get("format", "mrconso") != "mrconso":
            raise mistake("it is for format mrconso; remove it or change the format")
        return value

    def obtain(self) -> str:
        licence = "UMLS is licensed: get MRCONSO.RRF from https://www.nlm.nih.gov/research/umls; "
        return licence if self.format == "mrconso" else ""


def strings(root: Path, options: Options, seed: int, dropped: Counter[str]) -> Iterable[str]:
    path = root / options.path
    if options.format == "mrconso":
        return read_mrconso(path, options.language, options.sources, options.suppress)
    return read_obo(path) if options.format == "obo" else read_lines(path)


def read_mrconso(
    path: Path, language: str, sources: Iterable[str] | None, suppress: Iterable[str]
) -> Iterator[str]:
    """Yield the names (STR) of the rows of a language, of given sources and suppress flags.

    `sources` None takes all. The file, gzipped if `.gz`, has millions of rows: read row by row.
    """
    wanted_sources = None if sources is None else set(sources)
    wanted_flags = set(suppress)
    for line, text in enumerate(stream_lines(path), start=1):
        fields = text.split("|")
        # Each of the 18 columns ends with a bar, which makes an empty nineteenth.
        if len(fields) < _COLUMNS:
            what = f"expected the {_COLUMNS} columns of MRCONSO.RRF, found {len(fields)}"
            raise malformed(path, line, what)
        if (
            fields[_LANGUAGE] == language
            and fields[_SUPPRESS] in wanted_flags
            and (wanted_sources is None or fields[_SOURCE] in wanted_sources)
        ):
            yield fields[_STRING]
