"""Draw one figure: .png and .svg, the numbers behind as .tsv, and a note (.md) beside it."""

import argparse
from pathlib import Path

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.figures.blocks import FigureBlock, parse_figure_block
from workflow_scripts.figures.buckets import plot_buckets
from workflow_scripts.figures.caption import render_note
from workflow_scripts.figures.cosines import plot_cosines
from workflow_scripts.figures.inputs import FigureInputs
from workflow_scripts.figures.lines import plot_lines
from workflow_scripts.figures.plots import points_tsv
from workflow_scripts.figures.roc import plot_roc
from workflow_scripts.figures.style import figure_style, nothing_run, save_figure
from workflow_scripts.files import write_text
from workflow_scripts.scoring.details import read_details
from workflow_scripts.scoring.tidy_scores import read_scores
from workflow_scripts.tables.published import read_published
from workflow_scripts.tables.tidy_cells import tidy_cells, write_cells

PLOTS = {"roc": plot_roc, "lines": plot_lines, "cosines": plot_cosines, "buckets": plot_buckets}


def _check_name(block: FigureBlock, prefix: Path) -> None:
    """Raise `UserError` if the outputs are not named for the figure: its note links to them."""
    if prefix.name != block.id:
        raise UserError(
            f"--output-prefix: {prefix} must end in the id of the figure, `{block.id}`; rename it"
        )


def main(argv: list[str] | None = None) -> None:
    """Read what a figure names and draw it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--block", required=True, metavar="JSON", help="the figure's block")
    for option, what in (
        ("--scores", "tidy scores, under the names that the figure uses"),
        ("--details", "details beside the scores, npz"),
        ("--records", "records of corpora, json"),
        ("--texts", "corpora, and strings and items of the suite"),
    ):
        parser.add_argument(option, nargs="*", default=[], metavar="FILE", help=what)
    parser.add_argument(
        "--reference", nargs="?", type=Path, metavar="FILE", help="published values"
    )
    parser.add_argument("--data-note", default="", help="what the note says of the data")
    parser.add_argument(
        "--output-prefix", required=True, type=Path, help="outputs without their endings"
    )
    parser.add_argument(
        "--cells", required=True, type=Path, metavar="FILE", help="output: values as tidy cells"
    )
    arguments = parser.parse_args(argv)

    block = parse_figure_block(arguments.block)
    _check_name(block, arguments.output_prefix)
    published = {}
    if block.reference is not None:
        if arguments.reference is None:
            raise UserError(
                f"--reference: figure `{block.id}` needs the published values of "
                f"`{block.reference}`; give config/reference/{block.reference}.tsv"
            )
        published = read_published(arguments.reference, block.reference)
    inputs = FigureInputs(
        scores={path: read_scores(path) for path in arguments.scores},
        details={path: read_details(path) for path in arguments.details},
        records=frozenset(arguments.records),
        texts=frozenset(arguments.texts),
    )
    plot = PLOTS[block.kind](block, block.content, inputs, published)
    with figure_style():
        figure = plot.draw() if plot.points else nothing_run()
        save_figure(figure, arguments.output_prefix)
    write_text(f"{arguments.output_prefix}.tsv", points_tsv(plot.points))
    write_text(f"{arguments.output_prefix}.md", render_note(block, plot, arguments.data_note))
    write_cells(arguments.cells, [] if plot.values is None else tidy_cells(plot.values))


if __name__ == "__main__":
    run_command(main)
