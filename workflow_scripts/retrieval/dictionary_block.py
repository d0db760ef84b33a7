"""The block `dictionaries` of a config: names to embed in shards, and mentions to link to them."""

from typing import Annotated, Literal

from pydantic import Field

from workflow_scripts.configuration.blocks import Block, Count, Distinct, Id, Text, WholeNumber
from workflow_scripts.datasets.name_lists import NamesFormat


class DictionaryEncoder(Block):
    """The encoder of names and mentions."""

    model: Id = Field(description="Model, tuned or as it is.")
    recipe: Id = Field(description="Recipe of that encoder, which has its settings.")
    corpus: Id | None = Field(None, description="Corpus, of a recipe that tunes.")
    seed: Count | None = Field(None, description="Seed of the tuning, or the config's first.")


class NamesFile(Block):
    """A file of names with their ids."""

    path: Text = Field(description="The file, below the data root or with its whole path.")
    format: NamesFormat | None = Field(None, description="Or by the file's name and first lines.")
    language: Text = Field("ENG", description="Of MRCONSO.RRF.")
    sources: Distinct[Text] | None = Field(None, description="Of MRCONSO.RRF, SAB; or all.")
    suppress: Distinct[Text] = Field(["N"], description="Of MRCONSO.RRF, flags to take.")
    name_column: Text | None = Field(
        None, description="Of tables (CSV, TSV, JSON lines, Parquet): the column of the names."
    )
    id_column: Text | None = Field(
        None, description="Of tables: the column of their ids; without it a name is its own."
    )
    where: list[Text] | None = Field(
        None,
        description="Of tables and MRCONSO.RRF: the rows to read, `COLUMN=VALUE` each; of one "
        "column any value counts.",
    )
    semantic_types: Distinct[Text] | None = Field(
        None,
        description="Of MRCONSO.RRF with MRSTY.RRF beside it: semantic types to take, `T047` or "
        "its name.",
    )


class DictionaryBlock(Block):
    """Names that mentions are linked to, as `link` does it, in shards; see docs/cluster.md."""

    encoder: DictionaryEncoder = Field(description="The encoder of names and mentions.")
    names: Annotated[dict[Id, NamesFile], Field(min_length=1)] = Field(
        description="Files of names by id; of equally near names that of the file above leads."
    )
    shards: WholeNumber = Field(description="Shards of each file: jobs that embed and search it.")
    mentions: Text = Field(description="Mentions, a line each or a tsv, as `path` of names.")
    mention_column: Text | WholeNumber | None = Field(
        None, description="Number from 1, or name in the header; without it the whole line."
    )
    gold_column: Text | WholeNumber | None = Field(
        None,
        description="Ids that are right, joined by |, for the accuracy (-1: not counted).",
    )
    document_column: Text | WholeNumber | None = Field(
        None,
        description="The text of each mention's document; abbreviations that it defines are "
        "written out.",
    )
    lower_case: bool = Field(False, description="Names and mentions in small letters.")
    similarity: Literal["cosine", "dot"] = Field("cosine", description="As in `retrieval`.")
    dtype: Literal["float32", "float16"] = Field(
        "float32", description="Of the names' vectors on disk; float16 rounds them."
    )
    k: WholeNumber = Field(5, description="Ids of a mention.")
    threshold: float | None = Field(None, description="Best score below which nothing is linked.")
    margin: float | None = Field(None, description="The same for its lead over the second best.")
