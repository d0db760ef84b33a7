"""Encoders of table rows and the result paths built from their short ids."""

from typing import NamedTuple

UNTUNED_CORPUS = "none"
UNTUNED_SEED = 0


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

    @property
    def folder(self) -> str:
        """Folder of a tuned encoder, both a transformers and a sentence-transformers one."""
        return f"results/encoders/{self.id}"

    def scores(self, suite: str) -> str:
        """Tidy scores of the encoder on a suite."""
        return f"results/scores/{self.id}/{suite}.tsv"


class LexiconEncoders(NamedTuple):
    """The encoders of the two sides of a lexicon pair; same recipe and seed."""

    source: Encoder
    target: Encoder

    @property
    def id(self) -> str:
        """Path part of the pair: model--model/recipe/corpus--corpus/seedN."""
        source, target = self
        return (
            f"{source.model}--{target.model}/{source.recipe}/"
            f"{source.corpus}--{target.corpus}/seed{source.seed}"
        )

    def scores(self, dataset: str) -> str:
        """Tidy scores of the pair on a lexicon dataset."""
        return f"results/scores/{self.id}/{dataset}.tsv"
