"""Method nli: finetuning with natural language inference (Yang et al. 2021, section 4.3)."""

from typing import Annotated

from pydantic import Field

from workflow_scripts.configuration.blocks import WholeNumber
from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.recipe import TextRecipe

CARD = (
    "finetuning with natural language inference (Yang et al. 2021, Universal Sentence\n"
    "Representation Learning with Conditional Masked Language Model)"
)
CARD_TAG = "natural-language-inference"


class Choices(TextRecipe):
    """Choices of method nli; the paper states none of the defaults."""

    batch_size: Annotated[int, Field(ge=2)] = Field(
        default=64, description="pairs of premise and hypothesis per step"
    )
    epochs: WholeNumber | None = Field(
        default=1, description="passes over the corpus, unless `steps` is given"
    )


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> Corpus:
    """Return premises, hypotheses and labels."""
    corpus = read_corpus(path, labels=True)
    check_batch_size(corpus, choices.batch_size, recipe_name)
    return corpus
