"""Method tsdae (Wang et al. 2021, section 3): a string is written again from its damaged vector."""

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.recipe import TextRecipe

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.objective import Objective, TrainingContext

CARD = (
    "TSDAE (Wang et al. 2021, TSDAE: Using Transformer-based Sequential Denoising Auto-Encoder\n"
    "for Unsupervised Sentence Embedding Learning)"
)
CARD_TAG = "tsdae"


class Choices(TextRecipe):
    """Choices of method tsdae; a batch is strings, which a decoder writes from their vectors."""

    deleted_share: Annotated[float, Field(ge=0, lt=1)] = Field(
        default=0.6,
        description=(
            "share of a string's words to delete before it is encoded; words are those of the "
            "tokenizer, and at least one stays"
        ),
    )


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> Corpus:
    """Return the strings to train on."""
    corpus = read_corpus(path)
    check_batch_size(corpus, choices.batch_size, recipe_name)
    return corpus


def delete_words(
    token_ids: Sequence[int],
    words: Sequence[int | None],
    share: float,
    generator: random.Random,
) -> list[int]:
    """Return the token ids of a string without each word that is drawn with probability `share`.

    `words` has the number of each token's word, None for [CLS] and [SEP], which stay. Where all
    words would go, one that is drawn stays.
    """
    numbers = list(dict.fromkeys(word for word in words if word is not None))
    kept = {word for word in numbers if generator.random() >= share}
    if numbers and not kept:
        kept = {generator.choice(numbers)}
    pairs = zip(token_ids, words, strict=True)
    return [token for token, word in pairs if word is None or word in kept]


def objective(
    loaded: "LoadedModel", corpus: Corpus, choices: Choices, context: "TrainingContext"
) -> "Objective":
    """Return what trains: encoder and decoder have the same weights, but for cross-attention.

    The decoder looks at nothing of the encoder's but the vector, and is not kept.
    """
    import numpy as np
    import torch

    from workflow_scripts.embedding.token_batches import tokenize_words
    from workflow_scripts.tuning.batch_gradients import TokenIds
    from workflow_scripts.tuning.decoder import AttendsToVectors, load_decoder
    from workflow_scripts.tuning.masked_passes import MaskedBatch, MaskedPasses
    from workflow_scripts.tuning.string_objective import Measures, StringObjective

    decoder = load_decoder(loaded, context.seed)
    token_ids, words = tokenize_words(loaded.tokenizer, corpus.strings, choices.training_settings)

    def damaged(rows: np.ndarray, number: int) -> TokenIds:
        generator = random.Random(f"{context.seed} deletion {number}")
        share = choices.deleted_share
        return [delete_words(token_ids[row], words[row], share, generator) for row in rows]

    def loss(vectors: torch.Tensor, rows: np.ndarray, number: int) -> tuple[torch.Tensor, Measures]:
        # each token is predicted from those before it
        strings = [np.array(token_ids[row]) for row in rows]
        before, after = [ids[:-1] for ids in strings], [ids[1:] for ids in strings]
        batch = MaskedBatch(before, after, vectors[:, None])
        value, _, right = passes.conditioned(batch, number)
        return value, {"accuracy": right}

    own = (loaded, len(token_ids), choices, context, damaged, loss)
    made = StringObjective(*own, training_only={"decoder": decoder})
    padding = loaded.tokenizer.pad_token_id
    passes = MaskedPasses(decoder, padding, made.passes_of(decoder), AttendsToVectors)
    return made
