"""Draw one figure: .png, .svg and .pdf, its numbers as .tsv, and a note as .md and .html."""

from pathlib import Path

from workflow_scripts import plugins
from workflow_scripts.command_main import run_command
from workflow_scripts.figures.note import note_document
from workflow_scripts.figures.plots import points_tsv
from workflow_scripts.figures.style import figure_style, nothing_run, save_figure, style_of
from workflow_scripts.files import read_json, write_text
from workflow_scripts.path_functions import command
from workflow_scripts.tables.cells import write_cells
from workflow_scripts.tables.page_records import INPUTS, input_files, make_record
from workflow_scripts.tables.render import write_document


def draw_figure(*, block: Path, output_prefix: Path, cells: Path) -> None:
    """Draw one figure: .png, .svg and .pdf, the numbers behind as .tsv, and a note (.md, .html).

    Args:
        block: what is drawn: kind, title, files, ..., json
        output_prefix: path of the outputs without their endings
        cells: output: tidy cells, tsv
    """
    content = read_json(block)
    plot = plugins.load("figures.kinds", content["kind"]).plot(content)
    look = style_of(content)
    with figure_style(look):
        save_figure(plot.draw() if plot.draw else nothing_run(look), output_prefix)
    write_text(f"{output_prefix}.tsv", points_tsv(plot.points))
    results = output_prefix.parent.parent
    record = make_record(content, {INPUTS: input_files("figures", content)}, results)
    write_document(output_prefix, note_document(content, plot), "md", "html", record=record)
    write_cells(cells, plot.values.all_cells if plot.values else [])


main = command(draw_figure)

if __name__ == "__main__":
    run_command(main)
