"""Method bitext: bitext retrieval alone, as in the second stage of S2 (Yang et al. 2021, 4.2)."""

from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.recipe import Retrieval, TextRecipe

CARD = (
    "bitext retrieval with additive margin softmax (Yang et al. 2021, Universal Sentence\n"
    "Representation Learning with Conditional Masked Language Model)"
)
CARD_TAG = "bitext-retrieval"


class Choices(Retrieval, TextRecipe):
    """Choices of method bitext."""


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> Corpus:
    """Return the translations to train on."""
    corpus = read_corpus(path, pairs=True)
    check_batch_size(corpus, choices.batch_size, recipe_name)
    return corpus
