"""The score of a model on a development set, while it is tuned and after."""

from collections.abc import Callable

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.own_classifier import OwnClassifier
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.scoring.development_set import DevelopmentSet


def make_score(
    development: DevelopmentSet, settings: EncoderSettings
) -> Callable[[LoadedModel, OwnClassifier | None], float]:
    """Return what scores a model on a development set, the higher the better."""

    def score(loaded: LoadedModel, classifier: OwnClassifier | None = None) -> float:
        vectors = encode_strings(loaded, development.strings, settings)
        return development.score(vectors, classifier)

    return score
