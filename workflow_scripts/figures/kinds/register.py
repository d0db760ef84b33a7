"""The kinds of figures that a config may name. Never imported by a step: see `plugins`.

The file of a kind has `Config`, its block; `requested_cells(config)`, the encoder and data set
of each curve, panel or point; `resolve(config, cells, run)`, the block that its step reads, in
which it arranges what became of these cells; if the step reads more than scores, `files(block)`;
and `plot(block)`, what is drawn and told.
"""

from typing import Any

from workflow_scripts.configuration.blocks import FileOf
from workflow_scripts.configuration.chosen import read_chosen
from workflow_scripts.figures.config import FigureBlock

KINDS = ("roc", "lines", "cosines", "buckets", "retrieved-languages", "translations")


def read_figure(name: str, block: Any, file: str | FileOf = "config") -> FigureBlock:
    """Return the block of a figure, typed by its kind; `UserError` for a mistake in it."""
    return read_chosen("figures.kinds", "Config", "kind", KINDS, block, f"figures.{name}", file)
