"""The block `retrieval` of a config: how nearest names and translations are searched."""

from typing import Annotated, Literal

from pydantic import Field

from workflow_scripts.configuration.blocks import Block, NotNegative, WholeNumber

# accuracy@5 counts five of them
Kept = Annotated[int, Field(ge=5)]


class Linking(Block):
    """Entity linking: the nearest dictionary names of a mention."""

    similarity: Literal["dot", "cosine"] = Field(
        description="dot (unnormalised vectors, as SapBERT's evaluation does) or cosine."
    )
    k: Kept = Field(description="Names kept for each mention, 5 or more.")


class Lexicon(Block):
    """Lexicon induction: a map between two languages, and the nearest words of a mapped word."""

    mapping: Literal["orthogonal", "supervised"] = Field(
        description="orthogonal (Procrustes) or supervised (whitening and re-weighting)."
    )
    regularisation: NotNegative = Field(
        description="Of the supervised map's whitening; 0 as published."
    )
    similarity: Literal["csls", "cosine"] = Field(description="csls or cosine.")
    neighbours: WholeNumber = Field(description="Neighbourhood size of CSLS.")
    k: Kept = Field(description="Translations kept for each source word, 5 or more.")


class Retrieval(Block):
    """How nearest names (linking) and translations (lexicon) are searched."""

    linking: Linking = Field(description="How nearest names of mentions are searched.")
    lexicon: Lexicon = Field(description="How translations of words are searched.")
