"""What the methods that train on running text or on pairs do alike."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from torch import nn

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.batch_gradients import BatchGradients
from workflow_scripts.tuning.dropout import seeded_dropout
from workflow_scripts.tuning.dropout_masks import DropoutMasks
from workflow_scripts.tuning.micro_batches import Passes, sparse_embedding_gradients
from workflow_scripts.tuning.objective import Objective, TrainingContext
from workflow_scripts.tuning.recipe import TRAINING_KEYS, TextRecipe


class TextObjective(Objective):
    """Trains `whole` (a model with its head; without one the model) and `own`, which it moves.

    `UserError` for a model that cannot be pooled as the recipe says.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        choices: TextRecipe,
        context: TrainingContext,
        own: Mapping[str, nn.Module] | None = None,
        whole: nn.Module | None = None,
    ) -> None:
        settings = choices.training_settings
        loaded.check_settings(settings, TRAINING_KEYS)
        self._loaded, self._choices, self._context = loaded, choices, context
        self._own = nn.ModuleDict(own or {}).to(context.device, loaded.model.dtype)
        self.trained = nn.ModuleDict({"whole": whole or loaded.model, "own": self._own})
        self._masks = DropoutMasks(context.seed, context.device)
        self._passes = Passes(self.trained, self._masks, context)
        self._gradients = BatchGradients(loaded, settings, self._passes)

    def _steps(self, count: int, what: str, path: Path) -> int:
        """Return the steps of a corpus of `count`; `UserError` if it does not fill one batch."""
        size = self._choices.batch_size
        if count < size:
            raise UserError(
                path,
                f"{count} {what}, fewer than one batch of {size}",
                f"add text or lower batch_size to {max(count, 2)} or less",
            )
        return self._choices.number_of_steps(count)

    @contextmanager
    def settings(self) -> Iterator[None]:
        model = self._loaded.model
        with (
            seeded_dropout(model, self._choices.dropout, self._masks),
            sparse_embedding_gradients(model),
        ):
            yield
