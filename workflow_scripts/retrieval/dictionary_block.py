"""The block `dictionaries` of a config: names to embed in shards, and mentions to link to them."""

from typing import Annotated, Literal

from pydantic import Field

from workflow_scripts.configuration.blocks import Block, Count, Distinct, Id, Text, WholeNumber
from workflow_scripts.datasets.name_lists import NamesFormat


class DictionaryEncoder(Block):
    """The encoder of names and mentions."""

    model: Id = Field(description="Model, tuned or untuned.")
    recipe: Id = Field(description="Recipe of the encoder, which sets pooling and length.")
    corpus: Id | None = Field(None, description="Corpus, for a recipe that tunes.")
    seed: Count | None = Field(None, description="Seed of the tuning; default: the config's first.")


class NamesFile(Block):
    """A file of names with their ids."""

    path: Text = Field(description="The file, below the data root or as an absolute path.")
    format: NamesFormat | None = Field(
        None, description="Format; default: guessed from the file's name and first lines."
    )
    language: Text = Field("ENG", description="Of MRCONSO.RRF.")
    sources: Distinct[Text] | None = Field(
        None, description="For MRCONSO.RRF: sources (SAB); default: all."
    )
    suppress: Distinct[Text] = Field(
        ["N"], description="For MRCONSO.RRF: SUPPRESS flags to accept."
    )
    name_column: Text | None = Field(
        None, description="For tables (CSV, TSV, JSON lines, Parquet): the column of the names."
    )
    id_column: Text | None = Field(
        None, description="For tables: the column of their ids; by default each name is its own id."
    )
    where: list[Text] | None = Field(
        None,
        description=(
            "For tables and MRCONSO.RRF: the rows to read, as `COLUMN=VALUE`; several values of "
            "one column are alternatives."
        ),
    )
    semantic_types: Distinct[Text] | None = Field(
        None,
        description=(
            "For MRCONSO.RRF with MRSTY.RRF next to it: semantic types to take, as `T047` or by "
            "name."
        ),
    )


class DictionaryBlock(Block):
    """Names that jobs link mentions to, shard by shard; see docs/howto/run-on-a-cluster.md."""

    encoder: DictionaryEncoder = Field(description="The encoder of names and mentions.")
    names: Annotated[dict[Id, NamesFile], Field(min_length=1)] = Field(
        description="Files of names by id; among equally near names, the earlier file wins."
    )
    shards: WholeNumber = Field(
        description="Shards per file, each embedded and searched by one job."
    )
    mentions: Text = Field(
        description="File of mentions, one per line or a tsv, located like `path` of names."
    )
    mention_column: Text | WholeNumber | None = Field(
        None,
        description="Column of the mentions: number from 1, or name in the header. Default: the "
        "whole line.",
    )
    gold_column: Text | WholeNumber | None = Field(
        None,
        description="Column of the correct ids, joined by |, for the accuracy (-1: not counted).",
    )
    document_column: Text | WholeNumber | None = Field(
        None,
        description=(
            "Column of the text of each mention's document; abbreviations that it defines are "
            "expanded."
        ),
    )
    lower_case: bool = Field(False, description="Whether to lower-case names and mentions.")
    similarity: Literal["cosine", "dot"] = Field(
        "cosine", description="Similarity, as in `retrieval`."
    )
    dtype: Literal["float32", "float16"] = Field(
        "float32", description="Type of the names' vectors on disk; float16 rounds them."
    )
    k: WholeNumber = Field(5, description="Ids per mention.")
    threshold: float | None = Field(
        None, description="Mentions whose best score is lower are not linked."
    )
    margin: float | None = Field(
        None,
        description="Mentions whose best score exceeds the second best by less are not linked.",
    )
