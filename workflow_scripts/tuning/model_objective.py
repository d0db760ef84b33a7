"""What all methods do alike: the modules that are trained, and the passes over them."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from torch import nn
from transformers import PreTrainedModel

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.tuning.batch_gradients import BatchGradients
from workflow_scripts.tuning.neighbours import draw_numbers
from workflow_scripts.tuning.objective import Objective, TrainingContext
from workflow_scripts.tuning.own_weights import TRAINING_ONLY
from workflow_scripts.tuning.passes import Passes
from workflow_scripts.tuning.recipe import TRAINING_KEYS
from workflow_scripts.tuning.training_copy import TrainingCopy


class ModelObjective(Objective):
    """Trains `whole` (a model with its head; without one the model), `own` and `training_only`.

    The last two are modules by name, which it moves to the device: `own` are kept with the encoder,
    `training_only`, such as a projection head or a decoder, are not. `cached` and `paired` are
    those of `Memory` and `BatchGradients`. `UserError` for a model that cannot be pooled or drop
    out as the recipe says.
    """

    # whether nothing but vectors is taken of the model, so that some poolings need one position
    takes_vectors_alone = False

    def __init__(
        self,
        loaded: LoadedModel,
        choices: Any,
        context: TrainingContext,
        own: Mapping[str, nn.Module] | None = None,
        whole: PreTrainedModel | None = None,
        *,
        training_only: Mapping[str, nn.Module] | None = None,
        cached: bool = False,
        paired: bool = False,
    ) -> None:
        settings = choices.training_settings
        loaded.check_settings(settings, TRAINING_KEYS)
        self._loaded, self._choices, self._context = loaded, choices, context
        self._own, left_behind = (
            nn.ModuleDict(modules or {}).to(context.device, loaded.model.dtype)
            for modules in (own, training_only)
        )
        self._whole = whole or loaded.model
        modules = {"whole": self._whole, "own": self._own, TRAINING_ONLY: left_behind}
        self.trained = nn.ModuleDict(modules)
        drophead = getattr(choices, "drophead", 0.0)
        first_alone = self.takes_vectors_alone and choices.pooling in ("cls", "pooler")
        copies = [
            TrainingCopy(self._whole, context, choices.dropout, drophead, first_alone)
            for _ in range(context.workers.count)
        ]
        self._passes = Passes(self.trained, copies, context, cached)
        self._gradients = BatchGradients(loaded, settings, self._passes, paired)

    def passes_of(self, whole: PreTrainedModel) -> Passes:
        """Return passes over another one of the trained models, kept within the same memory."""
        context, dropout = self._context, self._choices.dropout
        copies = [TrainingCopy(whole, context, dropout) for _ in range(context.workers.count)]
        return Passes(self.trained, copies, context, memory=self._passes.memory)

    @property
    def masks_changed(self) -> bool:
        return self._passes.memory.masks_changed

    def _draw(self, count: int, stream: int, size: int | None = None) -> Iterator[np.ndarray]:
        """Yield the numbers of a batch for every step, as `draw_numbers` of a random `stream`."""
        seed = (self._context.seed, stream)
        return draw_numbers(count, size or self._choices.batch_size, self.steps, seed)
