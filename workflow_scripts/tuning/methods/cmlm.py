"""Method cmlm (Yang et al. 2021): a sentence's vector helps to predict the masked next sentence."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from workflow_scripts.configuration.blocks import Id, Positive, WholeNumber
from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.recipe import Block, MaskingRecipe, Retrieval
from workflow_scripts.tuning.running_text import RunningText, read_running_text

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.objective import Objective, TrainingContext

CARD = (
    "conditional masked language modelling (Yang et al. 2021, Universal Sentence Representation\n"
    "Learning with Conditional Masked Language Model)"
)
CARD_TAG = "cmlm"


class Bitext(Retrieval):
    """Bitext retrieval alongside CMLM (section 4.2): L = L_CMLM + `weight` * L_br."""

    corpus: Id = Field(description="corpus of translations")
    weight: Positive = Field(default=0.2, description="weight of the loss of bitext retrieval")
    # with a single pair there are no negatives
    batch_size: Annotated[int, Field(ge=2)] | None = Field(
        default=None, description="translations per step; null: as many as sequences of text"
    )


class HeldOut(Block):
    """Text whose loss is logged, with the true neighbours and with those of other sentences."""

    corpus: Id = Field(description="corpus of running text that is kept out of training")
    every: WholeNumber = Field(
        description="steps between two measurements; the last step is also measured"
    )
    pairs: WholeNumber = Field(default=500, description="most pairs to measure")


class Choices(MaskingRecipe):
    """Choices of method cmlm; the defaults are the paper's, or say where it has none."""

    masked_share: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.3125,
        description="share of the tokens of the second sequence that are masked, 80 of 256",
    )
    swap: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.5, description="share of the pairs whose second sequence becomes the first"
    )
    projections: WholeNumber = Field(
        default=15,
        description="N projected vectors next to the tokens, including the vector itself",
    )
    projection_width: Positive = Field(
        default=2.0,
        description="width of the projections' inner layers, as a multiple of the vector's",
    )
    projection_layers: Annotated[int, Field(ge=1)] = Field(
        default=3, description="layers of each projection"
    )
    vector_position: Literal["before", "after"] = Field(
        default="before", description="position of the projected vectors (not stated in the paper)"
    )
    vector_embeddings: Literal["none", "learned"] = Field(
        default="none",
        description="learned: an embedding is added to each projected vector (not stated)",
    )
    conditioning: Literal["concatenate", "skip"] = Field(
        default="concatenate",
        description="skip: the projected vectors also feed the prediction of tokens (section 5.1)",
    )
    bitext: Bitext | None = Field(default=None, description="bitext retrieval alongside CMLM")
    held_out: HeldOut | None = Field(default=None, description="text to measure the loss on")

    def corpora(self) -> dict[str, str]:
        blocks = {"bitext.corpus": self.bitext, "held_out.corpus": self.held_out}
        return {key: block.corpus for key, block in blocks.items() if block is not None}


@dataclass(frozen=True)
class Corpora:
    """Text to train on, and what goes with it."""

    text: RunningText
    bitext: Corpus | None = None
    held_out: RunningText | None = None

    def as_record(self) -> dict[str, Any]:
        others = {"bitext": self.bitext, "held_out": self.held_out}
        more = {name: corpus.as_record() for name, corpus in others.items() if corpus is not None}
        return self.text.as_record() | more


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> Corpora:
    """Return the corpora of a recipe; `more` are the files of its `corpora()`, in their order."""
    files, bitext = list(more), None
    text = read_running_text(path)
    if choices.bitext is not None:
        bitext = read_corpus(files.pop(0), parts=2)
        check_batch_size(bitext, choices.bitext.batch_size or choices.batch_size, recipe_name)
    return Corpora(text, bitext, read_running_text(files[0]) if files else None)


def objective(
    loaded: "LoadedModel", corpora: Corpora, choices: Choices, context: "TrainingContext"
) -> "Objective":
    """Return what trains."""
    from workflow_scripts.tuning.objectives.cmlm import CmlmObjective

    return CmlmObjective(loaded, **vars(corpora), choices=choices, context=context)
