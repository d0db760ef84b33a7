"""A sample of names: one per line, of the UMLS Metathesaurus, or of an ontology."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationInfo, field_validator

from workflow_scripts.configuration.blocks import Field, Text, mistake
from workflow_scripts.corpora.block import SampledBlock
from workflow_scripts.datasets.mrconso import read_mrconso
from workflow_scripts.datasets.obo import read_obo
from workflow_scripts.files import read_lines


class Options(SampledBlock):
    holds = "names"
    mem_mb = 8000
    minutes = 30

    path: Text = Field(description="File of the names.")
    format: Literal["lines", "mrconso", "obo"] = Field(
        "lines", description="One per line, UMLS's MRCONSO.RRF, an ontology's names and synonyms."
    )
    language: Text = Field("ENG", description="For mrconso: language (LAT).")
    sources: list[Text] | None = Field(
        None, description="For mrconso: sources (SAB) to take; all by default."
    )
    suppress: list[Text] = Field(["N"], description="For mrconso: flags (SUPPRESS) to take.")

    @field_validator("language", "sources", "suppress")
    @classmethod
    def _of_mrconso(cls, value: Any, info: ValidationInfo) -> Any:
        if info.data.get("format", "mrconso") != "mrconso":
            raise mistake("it is only for format mrconso; remove it or change the format")
        return value

    def obtain(self) -> str:
        licence = (
            "UMLS needs a licence: get MRCONSO.RRF from https://www.nlm.nih.gov/research/umls; "
        )
        return licence if self.format == "mrconso" else ""

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> Iterable[str]:
        path = root / self.path
        if self.format == "mrconso":
            rows = read_mrconso(path, self.language, self.sources, self.suppress)
            return (name for _, _, name in rows)
        return read_obo(path) if self.format == "obo" else read_lines(path)
