"""Method nli: finetuning with natural language inference (Yang et al. 2021, section 4.3)."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from workflow_scripts.configuration.blocks import WholeNumber
from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.recipe import TextRecipe

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.nli_objective import NliObjective
    from workflow_scripts.tuning.objective import TrainingContext

CARD = (
    "finetuning with natural language inference (Yang et al. 2021, Universal Sentence\n"
    "Representation Learning with Conditional Masked Language Model)"
)
CARD_TAG = "natural-language-inference"


class Choices(TextRecipe):
    """Choices of method nli; the paper states none of the defaults."""

    batch_size: Annotated[int, Field(ge=2)] = Field(
        default=64, description="pairs of premise and hypothesis in a step"
    )
    epochs: WholeNumber | None = Field(
        default=1, description="passes over the corpus, unless `steps` is given"
    )


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> Corpus:
    """Return premises, hypotheses and labels."""
    corpus = read_corpus(path, labels=True)
    check_batch_size(corpus, choices.batch_size, recipe_name)
    return corpus


def prepare(
    loaded: "LoadedModel", corpus: Corpus, choices: Choices, context: "TrainingContext"
) -> "NliObjective":
    """Return what the loop takes steps of; `UserError` where the model cannot take a choice."""
    # Only now: it needs torch.
    from workflow_scripts.tuning.nli_objective import NliObjective

    return NliObjective(loaded, corpus, choices, context)
