"""What every figure of a config may say; each kind adds its own keys in figures/kinds."""

from pydantic import Field

from workflow_scripts.configuration.blocks import Id, Text
from workflow_scripts.tables.config import ById, EncoderRow, Shown


class FigureBlock(Shown):
    """The keys that figures of every kind have."""

    kind: Id = Field(description="Kind of figure.")
    caption: Text = Field(description="What the figure shows, in a sentence or two.")


class AxesFigure(FigureBlock):
    """A figure whose axes the config labels."""

    x_label: Text = Field(description="Label of the x axis.")
    y_label: Text = Field(description="Label of the y axis.")


class FigureRow(EncoderRow):
    """A curve or a panel."""

    model: Text = Field(description="Model.")
    recipe: Text = Field(description="Recipe.")


class PairsFigure(FigureBlock):
    """A figure of the pairs of a data set, with a curve or panel for each encoder."""

    dataset: Id = Field(description="Data set of labelled pairs.")
    rows: ById[FigureRow] = Field(description="Encoders: one curve or panel each.")

    def requested_cells(self) -> list[dict[str, object]]:
        return [{"dataset": self.dataset} | row.model_dump(exclude_none=True) for row in self.rows]
