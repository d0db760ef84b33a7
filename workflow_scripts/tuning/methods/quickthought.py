"""Method quickthought (Logeswaran and Lee 2018): a sentence finds its neighbours in a batch."""

from pydantic import Field

from workflow_scripts.configuration.blocks import WholeNumber
from workflow_scripts.tuning.recipe import RunningTextRecipe, Similarity
from workflow_scripts.tuning.running_text import RunningText, read_running_text

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
