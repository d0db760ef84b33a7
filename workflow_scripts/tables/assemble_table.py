"""Assemble one table from tidy scores, their details and published values.

Writes it as .tsv, .md, .html and .tex, and its cells one to a row.
"""

import argparse
from pathlib import Path

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import write_text
from workflow_scripts.scoring.tidy_scores import read_scores
from workflow_scripts.tables.blocks import parse_table_block
from workflow_scripts.tables.cells import fill_table
from workflow_scripts.tables.published import read_published
from workflow_scripts.tables.render import render_html, render_markdown, render_tsv
from workflow_scripts.tables.render_latex import render_latex
from workflow_scripts.tables.tidy_cells import tidy_cells, write_cells


def main(argv: list[str] | None = None) -> None:
    """Read the scores that a table names and write it in all its forms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--table-json", required=True, help="the table: title, columns, rows with score files"
    )
    parser.add_argument(
        "--scores", nargs="*", default=[], help="tidy scores, under the names that the table uses"
    )
    parser.add_argument(
        "--details",
        nargs="*",
        default=[],
        help="bootstrap replicates beside the scores, npz; cells without them have no interval",
    )
    parser.add_argument(
        "--reference",
        nargs="?",
        type=Path,
        help="published values (config/reference); leave out for a table that is not the paper's",
    )
    parser.add_argument("--data-note", default="", help="what the table says of its data")
    parser.add_argument(
        "--output-prefix", required=True, help="path of the outputs without .tsv, .md, .html, .tex"
    )
    parser.add_argument("--cells", type=Path, required=True, help="output: tidy cells, tsv")
    arguments = parser.parse_args(argv)

    block = parse_table_block(arguments.table_json)
    published = {}
    if block.reference is not None:
        if arguments.reference is None:
            raise UserError(
                f"--reference: table `{block.id}` needs the published values of "
                f"`{block.reference}`; give config/reference/{block.reference}.tsv"
            )
        published = read_published(arguments.reference, block.reference)
    scores = {path: read_scores(path) for path in arguments.scores}
    table = fill_table(block, scores, published)
    if arguments.details:
        # numpy is loaded only where it is needed
        from workflow_scripts.scoring.details import read_details
        from workflow_scripts.tables.intervals import add_intervals

        table = add_intervals(table, {path: read_details(path) for path in arguments.details})
    texts = {
        ".tsv": render_tsv(table),
        ".md": render_markdown(table, arguments.data_note),
        ".html": render_html(table, arguments.data_note),
        ".tex": render_latex(table, arguments.data_note),
    }
    for ending, text in texts.items():
        write_text(arguments.output_prefix + ending, text)
    write_cells(arguments.cells, tidy_cells(table))
    if published:
        for row in block.rows:
            if not any((row.id, column.id) in published for column in block.shown_columns):
                print(f"{block.id}: the paper has no row `{row.id}`; it stands without its values")


if __name__ == "__main__":
    run_command(main)
