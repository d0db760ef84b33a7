"""Method none: a model, or the encoder of another recipe, as it is, pooled as the recipe says."""

from typing import Any

from pydantic import Field, field_validator

from workflow_scripts.configuration.blocks import WholeNumber, mistake
from workflow_scripts.tuning.recipe import Recipe


class Choices(Recipe):
    """A recipe of method none has the keys of every recipe, and which layer is pooled."""

    layer: WholeNumber | None = Field(
        default=None, description="whose states are pooled, 1 the first; null: the last"
    )

    @field_validator("development")
    @classmethod
    def _nothing_is_tuned(cls, value: Any) -> Any:
        if value is not None:
            raise mistake("method none tunes nothing: leave the key out")
        return value
