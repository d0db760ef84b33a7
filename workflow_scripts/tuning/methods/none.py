"""Method none: a model, or the encoder of another recipe, as it is, pooled as the recipe says."""

from typing import Any

from pydantic import field_validator

from workflow_scripts.configuration.blocks import mistake
from workflow_scripts.tuning.recipe import Recipe


class Choices(Recipe):
    """A recipe of method none has the keys of every recipe only."""

    @field_validator("development")
    @classmethod
    def _nothing_is_tuned(cls, value: Any) -> Any:
        if value is not None:
            raise mistake("method none tunes nothing: leave the key out")
        return value
