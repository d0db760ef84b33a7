"""Method push: the vectors of a batch are pushed apart. A second method, for a test."""

from pydantic import Field

from workflow_scripts.configuration.blocks import WholeNumber
from workflow_scripts.tuning.corpus_strings import Corpus, read_corpus
from workflow_scripts.tuning.recipe import TuningRecipe

CARD = "a tuning that pushes vectors apart"
CARD_TAG = "push"


class Choices(TuningRecipe):
    """Choices of method push."""

    steps: WholeNumber = Field(description="batches of eight strings")


def read(path: str, choices: Choices, recipe_name: str) -> Corpus:
    return read_corpus(path)
