"""How figures, and tables in LaTeX, look in a paper."""

from typing import Annotated

from pydantic import Field

from workflow_scripts.configuration.blocks import Block, Text

Inches = Annotated[float, Field(ge=2, le=20)]
# of the text of figures, the size that heights are given for
USUAL_FONT_SIZE = 8.0
USUAL_COLUMN = 3.15


class FigureStyle(Block):
    """How figures look: widths in inches, fonts, error bars."""

    column_width: Inches = Field(
        USUAL_COLUMN, description="Width of a figure in one column of a paper, in inches."
    )
    page_width: Inches = Field(6.5, description="Width of a figure across both columns, in inches.")
    font: Text = Field(
        "sans-serif",
        description="`sans-serif`, `serif` (like Times), or the name of an installed font.",
    )
    font_size: Annotated[float, Field(ge=5, le=20)] = Field(
        USUAL_FONT_SIZE, description="Size of labels in points; ticks and legends have one less."
    )
    intervals: bool = Field(True, description="Whether error bars are drawn.")

    @property
    def small_size(self) -> float:
        """The size of ticks and legends, in points."""
        return self.font_size - 1

    @property
    def scale(self) -> float:
        """How much larger text is than usual; figures grow taller with it."""
        return self.font_size / USUAL_FONT_SIZE

    @property
    def legend_characters(self) -> int:
        """How many characters of a legend fit into a column, next to its marker."""
        return int(40 * self.column_width / USUAL_COLUMN / self.scale)


class LatexStyle(Block):
    """What LaTeX tables show besides our own scores."""

    intervals: bool = Field(False, description="95% intervals, in a line below each row.")
    published: bool = Field(
        False, description="The papers' values, in a line below each row, with rows not run."
    )
