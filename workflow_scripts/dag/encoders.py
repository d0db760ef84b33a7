"""Encoders of table rows and the result paths built from their short ids."""

from typing import NamedTuple

UNTUNED_CORPUS = "none"


class Encoder(NamedTuple):
    """What maps strings to vectors: a model, tuned by a recipe on a corpus with a seed.

    An untuned model has the corpus "none" and the seed 0.
    """

    model: str
    recipe: str
    corpus: str
    seed: int

    @property
    def id(self) -> str:
        """Path part of the encoder: model/recipe/corpus/seedN."""
        return f"{self.model}/{self.recipe}/{self.corpus}/seed{self.seed}"


def score_id(encoders: tuple[Encoder, ...]) -> str:
    """Return the path part of what is scored: an encoder, or the two sides of a lexicon pair.

    A pair, of one recipe and seed, is model--model/recipe/corpus--corpus/seedN.
    """
    first = encoders[0]
    if len(encoders) == 1:
        return first.id
    models = "--".join(encoder.model for encoder in encoders)
    corpora = "--".join(encoder.corpus for encoder in encoders)
    return f"{models}/{first.recipe}/{corpora}/seed{first.seed}"
