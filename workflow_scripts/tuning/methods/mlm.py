"""Method mlm: masked language modelling goes on, on running text; the baseline of method cmlm."""

from typing import TYPE_CHECKING

from pydantic import Field

from workflow_scripts.tuning.recipe import MaskingRecipe
from workflow_scripts.tuning.running_text import RunningText, read_running_text

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.objective import Objective, TrainingContext

CARD = (
    "masked language modelling (Devlin et al. 2019, BERT: Pre-training of Deep Bidirectional\n"
    "Transformers for Language Understanding)"
)
CARD_TAG = "masked-language-modelling"


class Choices(MaskingRecipe):
    """Choices of method mlm; the defaults are BERT's."""

    next_sentence: bool = Field(
        default=False,
        description=(
            "also predict the next sentence: sequences are pairs, and half of the second ones "
            "come from another document"
        ),
    )


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> RunningText:
    """Return the text to train on."""
    return read_running_text(path)


def objective(
    loaded: "LoadedModel", corpus: RunningText, choices: Choices, context: "TrainingContext"
) -> "Objective":
    """Return what trains."""
    from workflow_scripts.tuning.objectives.mlm import MlmObjective

    return MlmObjective(loaded, corpus, choices, context)
