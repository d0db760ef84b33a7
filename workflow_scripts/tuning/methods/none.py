"""Method none: a model, or the encoder of another recipe, as it is, pooled as the recipe says."""

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, field_validator

from workflow_scripts.configuration.blocks import WholeNumber, mistake
from workflow_scripts.embedding.settings import POOLINGS, RECORDED
from workflow_scripts.tuning.recipe import Recipe

# type checkers read no Literal that is computed
if TYPE_CHECKING:
    Pooling = str
else:
    Pooling = Literal[(*POOLINGS, RECORDED)]


class Choices(Recipe):
    """A recipe of method none has the keys of every recipe, and which layer is pooled.

    It can leave the settings to the model: pooling `recorded`.
    """

    pooling: Pooling = Field(
        description=f"as of recipes that tune; {RECORDED}: pooling, prompts, dimensions and "
        "modules that the model's folder records (as sentence-transformers reads it), and its "
        "length where that is below `embed_max_length`"
    )
    layer: WholeNumber | None = Field(
        default=None, description="layer to pool, from 1; null: the last"
    )
    dimensions: WholeNumber | None = Field(
        default=None, description="leading dimensions to keep; null: all"
    )

    @field_validator("development")
    @classmethod
    def _nothing_is_tuned(cls, value: Any) -> Any:
        if value is not None:
            raise mistake("method none tunes nothing: leave out this key")
        return value
