"""Method bitext: bitext retrieval alone, as in the second stage of S2 (Yang et al. 2021, 4.2)."""

from typing import TYPE_CHECKING

from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.recipe import Retrieval, TextRecipe

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.objective import Objective, TrainingContext

CARD = (
    "bitext retrieval with additive margin softmax (Yang et al. 2021, Universal Sentence\n"
    "Representation Learning with Conditional Masked Language Model)"
)
CARD_TAG = "bitext-retrieval"


class Choices(Retrieval, TextRecipe):
    """Choices of method bitext."""


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> Corpus:
    """Return the translations to train on."""
    corpus = read_corpus(path, parts=2)
    check_batch_size(corpus, choices.batch_size, recipe_name)
    return corpus


def objective(
    loaded: "LoadedModel", corpus: Corpus, choices: Choices, context: "TrainingContext"
) -> "Objective":
    """Return what trains: the translations of a batch are each other's negatives."""
    import numpy as np
    import torch

    from workflow_scripts.tuning.losses import retrieval_loss
    from workflow_scripts.tuning.string_objective import Measures, StringObjective, inputs_of

    columns = (corpus.strings, corpus.partners)
    inputs = inputs_of(loaded.tokenizer, choices.training_settings, *columns)

    def loss(vectors: torch.Tensor, rows: np.ndarray, number: int) -> tuple[torch.Tensor, Measures]:
        sources, targets = vectors.chunk(2)
        value, hits = retrieval_loss(sources, targets, choices)
        return value, {"accuracy": hits}

    return StringObjective(loaded, len(corpus.strings), choices, context, inputs, loss)
