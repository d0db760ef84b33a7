"""Method mirror (Liu et al. 2021, sections 2 and 3): strings paired with themselves, InfoNCE."""

import sys
from typing import Annotated, Any, Literal

from pydantic import Field

from workflow_scripts.configuration.blocks import Block, Count, Positive, Rate, WholeNumber
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.near_duplicates import warn_of_repeats
from workflow_scripts.tuning.recipe import DropoutRates, Length, TuningRecipe

# What the card of an encoder says of the method.
CARD = (
    "Mirror tuning (Liu et al. 2021, Fast, Effective, and Self-Supervised: Transforming\n"
    "Masked Language Models into Universal Lexical and Sentence Encoders)"
)
CARD_TAG = "mirror-bert"


class SpanMasking(Block):
    """Random span masking (section 2.2): what is cut out of one string of a pair."""

    length: WholeNumber = Field(description="units to cut out")
    unit: Literal["character", "token", "word"] = Field(
        default="character", description="what `length` and `min_length` count"
    )
    side: Literal["second", "random"] = Field(
        default="second",
        description="string of a pair to mask: always the second, or either at random",
    )
    min_length: Count = Field(default=30, description="strings with fewer units stay unmasked")
    mask_token: Literal["literal", "tokenizer"] = Field(
        default="literal",
        description='the text "[MASK]" (the authors\' code, for RoBERTa too), or the '
        "tokenizer's own mask token",
    )
    place: Literal["drawn", "first_occurrence"] = Field(
        default="drawn",
        description=(
            "where to cut: at the drawn units (the paper), or at the first occurrence of their "
            "text in the string (the authors' code)"
        ),
    )

    def check_tokenizer(self, tokenizer: Any) -> None:
        """Raise `UserError` for a tokenizer without the mask token that is to be its own."""
        if self.mask_token == "tokenizer" and tokenizer.mask_token is None:
            raise UserError(
                "span_masking.mask_token",
                "the tokenizer has no mask token",
                "give `literal`, or another model",
            )


class Choices(TuningRecipe):
    """Choices of method mirror; the defaults are the paper's."""

    max_length: Length = Field(description="strings are cut to this many tokens during tuning")
    epochs: WholeNumber = Field(description="passes over the corpus")
    temperature: Positive = Field(description="divides the cosines in the loss")
    # with a single pair there are no negatives
    batch_size: Annotated[int, Field(ge=2)] = Field(
        default=200,
        description="strings per step (twice as many vectors); an incomplete last batch is dropped",
    )
    loss_denominator: Literal["with_positive", "negatives_only"] = Field(
        default="with_positive",
        description=(
            "whether the denominator includes the positive (the authors' code) or not (Eq. 1 as "
            "printed)"
        ),
    )
    span_masking: SpanMasking | None = Field(
        default=None, description="what is cut out of one string of a pair"
    )
    dropout: Rate | DropoutRates | None = Field(
        default=None,
        description="one rate for all places, rates by place, or null: the model's own",
    )
    drophead: Rate = Field(default=0.0, description="rate at which attention heads are dropped")
    controlled_dropout: bool = Field(
        default=False, description="both strings of a pair share all dropout masks (Table 8)"
    )
    positives: Literal["itself", "pairs"] = Field(
        default="itself",
        description="pair each string with itself, or (pairs) read lines text1||text2",
    )
    deduplicate: bool = Field(default=False, description="keep only the first of equal strings")
    gradient_cache: bool = Field(
        default=False,
        description="backpropagate slice by slice: the same gradients, less memory, slower",
    )


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> Corpus:
    """Return the corpus as a recipe wants it; say on stderr how many strings are alike."""
    corpus = read_corpus(path, choices.deduplicate, pairs=choices.positives == "pairs")
    check_batch_size(corpus, choices.batch_size, recipe_name)
    for strings in filter(None, (corpus.strings, corpus.partners)):
        if warning := warn_of_repeats(corpus.path.name, strings, choices.batch_size):
            print(warning, file=sys.stderr)
    return corpus
