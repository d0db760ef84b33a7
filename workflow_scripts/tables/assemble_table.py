"""Assemble one table of any kind: .tsv, .md, .html and .tex, and its cells one to a row."""

from pathlib import Path

from workflow_scripts import plugins
from workflow_scripts.command_main import run_command
from workflow_scripts.files import read_json
from workflow_scripts.path_functions import command
from workflow_scripts.tables.cells import write_cells
from workflow_scripts.tables.page_records import INPUTS, input_files, make_record
from workflow_scripts.tables.render import write_document


def assemble_table(*, block: Path, output_prefix: Path, cells: Path) -> None:
    """Assemble one table of any kind: .tsv, .md, .html and .tex, and its cells one to a row.

    Args:
        block: what is written: kind, title, files, ..., json
        output_prefix: path of the outputs without their endings
        cells: output: tidy cells, tsv
    """
    content = read_json(block)
    document, table_cells = plugins.load("tables.kinds", content["kind"]).assemble(content)
    results = output_prefix.parent.parent
    record = make_record(content, {INPUTS: input_files("tables", content)}, results)
    write_document(output_prefix, document, "tsv", "md", "html", "tex", record=record)
    write_cells(cells, table_cells)


main = command(assemble_table)

if __name__ == "__main__":
    run_command(main)
