"""Assemble one table of any kind: .tsv, .md, .html and .tex, and its cells one to a row."""

from pathlib import Path

from workflow_scripts import plugins
from workflow_scripts.errors import run_command
from workflow_scripts.tables.arguments import read_arguments
from workflow_scripts.tables.page_records import INPUTS, input_files, make_record
from workflow_scripts.tables.render import write_document
from workflow_scripts.tables.tidy_cells import write_cells


def main(argv: list[str] | None = None) -> None:
    block, arguments = read_arguments(argv, __doc__, "output-prefix", "cells")
    document, cells = plugins.load("tables.kinds", block["kind"]).assemble(block)
    results = Path(arguments.output_prefix).parent.parent
    record = make_record(block, {INPUTS: input_files("tables", block)}, results)
    write_document(arguments.output_prefix, document, "tsv", "md", "html", "tex", record=record)
    write_cells(arguments.cells, cells)


if __name__ == "__main__":
    run_command(main)
