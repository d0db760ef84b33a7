"""Method quickthought (Logeswaran and Lee 2018): a sentence finds its neighbours in a batch."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from workflow_scripts.configuration.blocks import WholeNumber
from workflow_scripts.tuning.corpus_strings import require_batch
from workflow_scripts.tuning.recipe import RunningTextRecipe, Similarity
from workflow_scripts.tuning.running_text import RunningText, read_running_text

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.objective import Objective, TrainingContext

CARD = (
    "QuickThought (Logeswaran and Lee 2018, An efficient framework for learning sentence\n"
    "representations), with one encoder"
)
CARD_TAG = "quickthought"


class Choices(Similarity, RunningTextRecipe):
    """Choices of method quickthought; a batch is sentences in their order."""

    context: WholeNumber = Field(
        default=1, description="how many sentences before and after each one are its targets"
    )


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> RunningText:
    """Return the text to train on."""
    return read_running_text(path)


def objective(
    loaded: "LoadedModel", corpus: RunningText, choices: Choices, context: "TrainingContext"
) -> "Objective":
    """Return what trains: one encoder for both sides (section 3).

    A batch is sentences in their order, of documents in a drawn order, cut where it is full.
    """
    import numpy as np
    import torch

    from workflow_scripts.tuning.batch_gradients import TokenIds
    from workflow_scripts.tuning.devices import to_device
    from workflow_scripts.tuning.losses import neighbour_loss
    from workflow_scripts.tuning.neighbours import Sequences, draw_numbers, near_sentences
    from workflow_scripts.tuning.string_objective import Measures, StringObjective

    text = Sequences(loaded.tokenizer, corpus.documents, "sentence", choices.training_settings)
    size, count = choices.batch_size, len(text)
    require_batch(corpus.path, count, "sentences", size)

    def draw() -> Iterator[np.ndarray]:
        # 1 is the number of the random stream
        seed = (context.seed, 1)
        return draw_numbers(count, size, choices.number_of_steps(count), seed, text.document)

    def inputs(rows: np.ndarray, number: int) -> TokenIds:
        return [text[row] for row in rows]

    def loss(vectors: torch.Tensor, rows: np.ndarray, number: int) -> tuple[torch.Tensor, Measures]:
        near = torch.from_numpy(near_sentences(rows, text.document, choices.context))
        value, hits = neighbour_loss(vectors, to_device(near, vectors.device), choices)
        return value, {"accuracy": hits}

    return StringObjective(loaded, count, choices, context, inputs, loss, draw=draw)
