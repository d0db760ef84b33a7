"""The kinds of tables that a config may name. Never imported by a step: see `plugins`.

The file of a kind has `Config`, its block; if the table shows scores, `requested_cells(config)`:
(row, column) of all cells that are run; `resolve(config, cells, run)`, the block that its step
reads, in which it arranges what became of these cells; if the step reads more than scores,
`files(block)`; and `assemble(block)`, the document and its cells.
"""

from typing import Any

from workflow_scripts.configuration.blocks import FileOf
from workflow_scripts.configuration.chosen import read_chosen
from workflow_scripts.tables.config import TableBlock

KINDS = ("scores", "models", "grid", "running-time")


def read_table(name: str, block: Any, file: str | FileOf = "config") -> TableBlock:
    """Return the block of a table, typed by its kind; `UserError` for a mistake in it."""
    where = f"tables.{name}"
    return read_chosen("tables.kinds", "Config", "kind", KINDS, block, where, file, "scores")
