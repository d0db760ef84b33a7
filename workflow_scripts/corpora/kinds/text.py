"""Running text: sentences in their order, with a blank line between documents.

What is left out parts a document in two, so that all lines of one were neighbours in the source.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, groupby
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ValidationInfo, field_validator

from workflow_scripts.configuration.blocks import Count, Field, Text, mistake
from workflow_scripts.corpora.block import SampledBlock, Size
from workflow_scripts.corpora.drawing import draw_documents
from workflow_scripts.corpora.text_cleaning import clean_sentences, comparison_key, is_held_out
from workflow_scripts.corpora.text_files import TextFiles, kept_out_keys
from workflow_scripts.errors import UserError


class Options(SampledBlock):
    holds = "running text"
    mem_mb = 8000
    minutes = 120
    file_keys = ("texts", "kept_out")

    size: Size = Field(
        description="How many sentences: whole documents are drawn until the number is reached."
    )
    whitespace: Literal["collapsed"] = Field("collapsed", description="Single spaces, always.")
    texts: list[TextFiles] = Field(min_length=1, description="The files, by their format.")
    kept_out: list[TextFiles] = Field(
        [], description="Evaluation files: sentences with the same letters and digits are left out."
    )
    minimum_letters: Count = Field(
        12,
        description="Drop sentences with fewer letters; a Chinese character counts as three.",
    )
    held_out: Annotated[int, Field(ge=2)] | None = Field(
        None, description="One in this many documents is held out, chosen by its text alone."
    )
    part: Literal["train", "held_out"] = Field(
        "train", description="Whether to take what `held_out` leaves, or what it holds out."
    )
    language: Text | None = Field(None, description="Language of the text, for readers only.")

    @field_validator("part")
    @classmethod
    def _of_something(cls, value: str, info: ValidationInfo) -> str:
        if value == "held_out" and info.data.get("held_out", 0) is None:
            raise mistake("set held_out: N to hold out one document in N")
        return value

    def list_files(self, root: Path) -> list[Path]:
        return [file for files in (*self.texts, *self.kept_out) for file in files.list_files(root)]

    def documents(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[list[str]]:
        runs: Iterator[list[str]] = self._runs(root, dropped)
        if (first := next(runs, None)) is None:
            files = [pattern for text in self.texts for pattern in text.files]
            raise UserError(
                root,
                f"no document of {', '.join(files)} has two neighbouring sentences (left out: "
                f"{dict(dropped)})",
                "choose a reader that keeps documents together, such as blank-line-documents, or "
                "change minimum_letters or held_out",
            )
        runs = chain([first], runs)
        return runs if self.size == "all" else iter(draw_documents(runs, self.size, seed))

    def _runs(self, root: Path, dropped: Counter[str]) -> Iterator[list[str]]:
        excluded = kept_out_keys(root, self.kept_out)
        # of both parts, so that no sentence is in both
        seen: set[bytes] | None = set() if self.deduplicate else None
        one_in = self.held_out
        for document in (document for text in self.texts for document in text.documents(root)):
            held_out = one_in is not None and is_held_out(comparison_key("".join(document)), one_in)
            is_of_part = held_out == (self.part == "held_out")
            cleaned = clean_sentences(document, seen, excluded, self.minimum_letters, dropped)
            for kept, run in groupby(cleaned, key=bool):
                sentences = [sentence[0] for sentence in run if sentence]
                if kept and not is_of_part:
                    dropped["other_part"] += len(sentences)
                elif len(sentences) == 1:
                    dropped["alone"] += 1
                elif kept:
                    yield sentences
