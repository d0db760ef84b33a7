"""Method mirror (Liu et al. 2021, sections 2 and 3): strings paired with themselves, InfoNCE."""

import random
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from workflow_scripts.configuration.blocks import Positive, Rate, WholeNumber
from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.near_duplicates import warn_of_repeats
from workflow_scripts.tuning.recipe import DropoutRates, Length, TuningRecipe
from workflow_scripts.tuning.span_masking import SpanMasking

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.objective import Objective, TrainingContext

# What the card of an encoder says of the method.
CARD = (
    "Mirror tuning (Liu et al. 2021, Fast, Effective, and Self-Supervised: Transforming\n"
    "Masked Language Models into Universal Lexical and Sentence Encoders)"
)
CARD_TAG = "mirror-bert"


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

    def number_of_steps(self, count: int) -> int:
        """Return the steps of a corpus of `count` strings."""
        return self.epochs * (count // self.batch_size)


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> Corpus:
    """Return the corpus as a recipe wants it; say on stderr how many strings are alike."""
    corpus = read_corpus(path, choices.deduplicate, 2 if choices.positives == "pairs" else 1)
    check_batch_size(corpus, choices.batch_size, recipe_name)
    for strings in filter(None, (corpus.strings, corpus.partners)):
        if warning := warn_of_repeats(corpus.path.name, strings, choices.batch_size):
            print(warning, file=sys.stderr)
    return corpus


def objective(
    loaded: "LoadedModel", corpus: Corpus, choices: Choices, context: "TrainingContext"
) -> "Objective":
    """Return what trains: the vectors of both strings of a pair find each other in the batch."""
    import numpy as np
    import torch

    from workflow_scripts.tuning.augmented_strings import AugmentedStrings, draw_batches
    from workflow_scripts.tuning.losses import alignment, nt_xent_loss, uniformity
    from workflow_scripts.tuning.string_objective import Measures, StringObjective

    count, seed, settings = len(corpus.strings), context.seed, choices.training_settings
    columns = (corpus.strings, corpus.partners)
    augmented = AugmentedStrings(loaded.tokenizer, *columns, choices.span_masking, settings, seed)

    def draw() -> Iterator[np.ndarray]:
        shuffling = random.Random(f"{seed} shuffling")
        return draw_batches(count, choices.batch_size, choices.epochs, shuffling)

    def loss(vectors: torch.Tensor, rows: np.ndarray, number: int) -> tuple[torch.Tensor, Measures]:
        first, second = vectors.chunk(2)
        value = nt_xent_loss(first, second, choices.temperature, choices.loss_denominator)
        return value, {"alignment": alignment(first, second), "uniformity": uniformity(first)}

    own = (loaded, count, choices, context, augmented.of_batch, loss)
    cached, paired = choices.gradient_cache, choices.controlled_dropout
    return StringObjective(*own, vectors_a_string=2, draw=draw, cached=cached, paired=paired)
