"""Method quickthought (Logeswaran and Lee 2018): a sentence finds its neighbours in a batch."""

from typing import TYPE_CHECKING

from pydantic import Field

from workflow_scripts.configuration.blocks import WholeNumber
from workflow_scripts.tuning.recipe import RunningTextRecipe, Similarity
from workflow_scripts.tuning.running_text import RunningText, read_running_text

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.objective import TrainingContext
    from workflow_scripts.tuning.quickthought_objective import QuickthoughtObjective

CARD = (
    "QuickThought (Logeswaran and Lee 2018, An efficient framework for learning sentence\n"
    "representations), with one encoder"
)
CARD_TAG = "quickthought"


class Choices(Similarity, RunningTextRecipe):
    """Choices of method quickthought; a batch is sentences in their order."""

    context: WholeNumber = Field(
        default=1, description="sentences before, and after, one that it is to find"
    )


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> RunningText:
    """Return the text to train on."""
    return read_running_text(path)


def prepare(
    loaded: "LoadedModel", corpus: RunningText, choices: Choices, context: "TrainingContext"
) -> "QuickthoughtObjective":
    """Return what the loop takes steps of; `UserError` where the model cannot take a choice."""
    # Only now: it needs torch.
    from workflow_scripts.tuning.quickthought_objective import QuickthoughtObjective

    return QuickthoughtObjective(loaded, corpus, choices, context)
