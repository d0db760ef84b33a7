"""Method simcse (Gao et al. 2021, section 3): strings paired with themselves, dropout alone."""

import sys
from typing import TYPE_CHECKING

from pydantic import Field

from workflow_scripts.configuration.blocks import Positive
from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.near_duplicates import warn_of_repeats
from workflow_scripts.tuning.recipe import TextRecipe

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.objective import Objective, TrainingContext

CARD = (
    "SimCSE without labels (Gao et al. 2021, SimCSE: Simple Contrastive Learning of Sentence\n"
    "Embeddings)"
)
CARD_TAG = "simcse"


class Choices(TextRecipe):
    """Choices of method simcse; a batch is strings, each of which is encoded twice."""

    temperature: Positive = Field(default=0.05, description="divides the cosines in the loss")


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> Corpus:
    """Return the strings to train on; say on stderr how many are alike."""
    corpus = read_corpus(path)
    check_batch_size(corpus, choices.batch_size, recipe_name)
    if warning := warn_of_repeats(corpus.path.name, corpus.strings, choices.batch_size):
        print(warning, file=sys.stderr)
    return corpus


def objective(
    loaded: "LoadedModel", corpus: Corpus, choices: Choices, context: "TrainingContext"
) -> "Objective":
    """Return what trains: a layer with tanh over the vectors, which serves in training alone.

    The layer is drawn as torch draws one (the released code: as the model's own, of about the same
    size). The two views of a string differ by their dropout masks.
    """
    import numpy as np
    import torch

    from workflow_scripts.embedding.token_batches import tokenize_strings
    from workflow_scripts.embedding.torch_setup import fresh_linear
    from workflow_scripts.tuning.batch_gradients import TokenIds
    from workflow_scripts.tuning.losses import in_batch_loss
    from workflow_scripts.tuning.string_objective import Measures, StringObjective

    size = loaded.model.config.hidden_size
    head = torch.nn.Sequential(fresh_linear(size, size, context.seed), torch.nn.Tanh())
    token_ids = tokenize_strings(loaded.tokenizer, corpus.strings, choices.training_settings)

    def twice(rows: np.ndarray, number: int) -> TokenIds:
        return [token_ids[row] for row in rows] * 2

    def loss(vectors: torch.Tensor, rows: np.ndarray, number: int) -> tuple[torch.Tensor, Measures]:
        first, second = head(vectors).chunk(2)
        value, hits = in_batch_loss(first, second, choices.temperature)
        return value, {"accuracy": hits}

    own = (loaded, len(token_ids), choices, context, twice, loss)
    return StringObjective(*own, vectors_a_string=2, training_only={"head": head})
