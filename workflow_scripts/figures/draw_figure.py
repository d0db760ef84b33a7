"""Draw one figure: .png and .svg, the numbers behind as .tsv, and a note (.md, .html) beside it."""

from pathlib import Path

from workflow_scripts import plugins
from workflow_scripts.errors import run_command
from workflow_scripts.figures.note import note_document
from workflow_scripts.figures.plots import points_tsv
from workflow_scripts.figures.style import figure_style, nothing_run, save_figure
from workflow_scripts.files import write_text
from workflow_scripts.tables.arguments import read_arguments
from workflow_scripts.tables.page_records import INPUTS, input_files, make_record
from workflow_scripts.tables.render import write_document
from workflow_scripts.tables.tidy_cells import tidy_cells, write_cells


def main(argv: list[str] | None = None) -> None:
    block, arguments = read_arguments(argv, __doc__, "output-prefix", "cells")
    plot = plugins.load("figures.kinds", block["kind"]).plot(block)
    with figure_style():
        save_figure(plot.draw() if plot.points else nothing_run(), arguments.output_prefix)
    write_text(f"{arguments.output_prefix}.tsv", points_tsv(plot.points))
    results = Path(arguments.output_prefix).parent.parent
    record = make_record(block, {INPUTS: input_files("figures", block)}, results)
    write_document(arguments.output_prefix, note_document(block, plot), "md", "html", record=record)
    write_cells(arguments.cells, [] if plot.values is None else tidy_cells(plot.values))


if __name__ == "__main__":
    run_command(main)
