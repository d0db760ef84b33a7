"""The block `tuning_grid` of a config: searches for tuning hyper-parameters."""

from typing import Annotated, Any

from pydantic import Field

from workflow_scripts.configuration.blocks import Block, Distinct, Id, Seed, Text

Axes = Annotated[dict[Text, Distinct[Any]], Field(min_length=1)]


class SearchBlock(Block):
    """What is tuned on what and scored on which development set."""

    model: Text = Field(description="Model that each cell starts from.")
    recipe: Text = Field(
        description="Recipe that tunes; its keys apply unless an axis changes them."
    )
    corpus: Text = Field(description="Corpus to tune on.")
    dataset: Text = Field(
        description="Development set, of a task that may be used to choose settings."
    )
    seeds: Distinct[Seed] | None = Field(None, description="Seeds of each cell, or the config's.")
    set: dict[Text, Any] = Field({}, description="Recipe keys with one value for all cells.")
    axes: Axes | None = Field(None, description="Axes of this search, replacing the common ones.")


class TuningGrid(Block):
    """Searches for hyper-parameters on development sets; see docs/howto/choose-settings.md."""

    axes: Axes = Field(
        description=(
            "Values by recipe key; a search without axes of its own tries every combination."
        )
    )
    # the cells of a job are one argument of its command, at most 128 KiB long
    cells_per_job: Annotated[int, Field(ge=1, le=500)] = Field(
        description="Cells that one job tunes in sequence."
    )
    shown: list[Text] | None = Field(
        None,
        description="Searches that tables of kind grid show and all_tables runs; default: all.",
    )
    searches: dict[Id, SearchBlock] = Field(description="Searches by id.")
