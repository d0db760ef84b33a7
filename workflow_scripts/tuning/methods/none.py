"""Method none: a model, or the encoder of another recipe, as it is, pooled as the recipe says."""

from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from workflow_scripts.configuration.blocks import WholeNumber, mistake
from workflow_scripts.embedding.settings import LAST_LAYER_POOLINGS
from workflow_scripts.tuning.recipe import Recipe


class Choices(Recipe):
    """A recipe of method none has the keys of every recipe, and which layer is pooled."""

    layer: WholeNumber | None = Field(
        default=None, description="whose states are pooled, 1 the first; null: the last"
    )

    @field_validator("layer")
    @classmethod
    def _states_of_tokens(cls, value: int | None, info: ValidationInfo) -> int | None:
        pooling = info.data.get("pooling")
        if value is not None and pooling in LAST_LAYER_POOLINGS:
            raise mistake(f"pooling {pooling} is of the last layer; leave the key out")
        return value

    @field_validator("development")
    @classmethod
    def _nothing_is_tuned(cls, value: Any) -> Any:
        if value is not None:
            raise mistake("method none tunes nothing: leave the key out")
        return value
