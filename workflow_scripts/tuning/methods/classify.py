"""Method classify: an encoder and a classifier trained together (Yang et al. 2021, Table 6)."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from workflow_scripts.configuration.blocks import WholeNumber
from workflow_scripts.datasets.labels import Labels
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines
from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.recipe import TextRecipe

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.objective import Objective, TrainingContext

CARD = "training with a linear classifier of texts, whose weights are kept beside the encoder's"
CARD_TAG = "text-classification"


class Choices(TextRecipe):
    """Choices of method classify; the paper states none of the defaults."""

    classifies: ClassVar[bool] = True

    batch_size: Annotated[int, Field(ge=2)] = Field(default=32, description="texts per step")
    epochs: WholeNumber | None = Field(
        default=3, description="passes over the corpus, unless `steps` is given"
    )


@dataclass(frozen=True)
class LabelledCorpus(Corpus):
    """Texts and, as `partners`, the class of each; `classes` are all of them, sorted."""

    classes: list[str] = field(default_factory=list)

    def as_record(self) -> dict[str, Any]:
        return {**super().as_record(), "classes": self.classes}


def read(path: str, choices: Choices, recipe_name: str, *more: str) -> LabelledCorpus:
    """Return texts and classes; `UserError` for fewer than two, and for one spelt in two ways."""
    corpus = read_corpus(path, parts=2)
    check_batch_size(corpus, choices.batch_size, recipe_name)
    labels = Labels()
    lines = (number for number, line in enumerate(read_lines(path), start=1) if line.strip())
    rows = zip(lines, corpus.partners or (), strict=True)
    partners = [labels.read(label, Path(path), line) for line, label in rows]
    classes = sorted(set(partners))
    if len(classes) < 2:
        raise UserError(path, f"all texts are of class {classes[0]!r}", "give two classes or more")
    return LabelledCorpus(**vars(corpus) | {"partners": partners}, classes=classes)


def objective(
    loaded: "LoadedModel", corpus: LabelledCorpus, choices: Choices, context: "TrainingContext"
) -> "Objective":
    """Return what trains: cross entropy of a linear layer over the vector of a text (4.5.2)."""
    import numpy as np
    import torch

    from workflow_scripts.embedding.own_classifier import LAYER, OwnClassifier
    from workflow_scripts.embedding.torch_setup import fresh_linear
    from workflow_scripts.tuning.losses import label_loss
    from workflow_scripts.tuning.string_objective import Measures, StringObjective, inputs_of

    classes = corpus.classes
    layer = fresh_linear(loaded.model.config.hidden_size, len(classes), context.seed)
    labels = torch.tensor(list(map(classes.index, corpus.partners or ())))
    inputs = inputs_of(loaded.tokenizer, choices.training_settings, corpus.strings)

    def loss(vectors: torch.Tensor, rows: np.ndarray, number: int) -> tuple[torch.Tensor, Measures]:
        value, right = label_loss(layer(vectors), labels[rows])
        return value, {"accuracy": right}

    def classifier() -> OwnClassifier:
        # copies, which later steps do not change
        weight, bias = (
            values.detach().float().cpu().numpy().copy() for values in (layer.weight, layer.bias)
        )
        return OwnClassifier(weight, bias, classes)

    own = (loaded, len(corpus.strings), choices, context, inputs, loss)
    return StringObjective(*own, own={LAYER: layer}, classifier=classifier)
