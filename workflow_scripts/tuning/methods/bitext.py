"""Method bitext: bitext retrieval alone, as in the second stage of S2 (Yang et al. 2021, 4.2)."""

from typing import TYPE_CHECKING

from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.recipe import Retrieval, TextRecipe

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.bitext_objective import BitextObjective
    from workflow_scripts.tuning.objective import TrainingContext

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


def prepare(
    loaded: "LoadedModel", corpus: Corpus, choices: Choices, context: "TrainingContext"
) -> "BitextObjective":
    """Return what the loop takes steps of; `UserError` where the model cannot take a choice."""
    # Only now: it needs torch.
    from workflow_scripts.tuning.bitext_objective import BitextObjective

    return BitextObjective(loaded, corpus, choices, context)
