"""Encoders of table rows and the result paths built from their short ids."""

from workflow_scripts.scoring.tidy_scores import EncoderIds as Encoder

# of an untuned model, whose seed is 0
UNTUNED_CORPUS = "none"


def score_id(encoders: tuple[Encoder, ...]) -> str:
    """Return the path part of what is scored: an encoder, or the two sides of a lexicon pair.

    A pair, of one recipe and seed, is model--model/recipe/corpus--corpus/seedN.
    """
    models = "--".join(encoder.model for encoder in encoders)
    corpora = "--".join(encoder.corpus for encoder in encoders)
    return str(encoders[0]._replace(model=models, corpus=corpora))
