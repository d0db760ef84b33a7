"""Method nli: finetuning with natural language inference (Yang et al. 2021, section 4.3)."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from workflow_scripts.configuration.blocks import WholeNumber
from workflow_scripts.corpora.pair_lines import LABELS
from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.recipe import TextRecipe

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.objective import Objective, TrainingContext

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
    corpus = read_corpus(path, parts=3)
    check_batch_size(corpus, choices.batch_size, recipe_name)
    return corpus


def objective(
    loaded: "LoadedModel", corpus: Corpus, choices: Choices, context: "TrainingContext"
) -> "Objective":
    """Return what trains: a linear classifier over [u; v; |u - v|; u * v] of premise u and
    hypothesis v.
    """
    import numpy as np
    import torch

    from workflow_scripts.embedding.torch_setup import fresh_linear
    from workflow_scripts.tuning.losses import label_loss
    from workflow_scripts.tuning.string_objective import Measures, StringObjective, inputs_of

    layer = fresh_linear(4 * loaded.model.config.hidden_size, len(LABELS), context.seed)
    labels = torch.tensor(list(map(LABELS.index, corpus.labels or ())))
    columns = (corpus.strings, corpus.partners)
    inputs = inputs_of(loaded.tokenizer, choices.training_settings, *columns)

    def loss(vectors: torch.Tensor, rows: np.ndarray, number: int) -> tuple[torch.Tensor, Measures]:
        u, v = vectors.chunk(2)
        value, right = label_loss(
            layer(torch.cat([u, v, (u - v).abs(), u * v], dim=1)), labels[rows]
        )
        return value, {"accuracy": right}

    own = (loaded, len(corpus.strings), choices, context, inputs, loss)
    return StringObjective(*own, own={"classifier": layer})
