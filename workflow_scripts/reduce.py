"""Command: make an encoder with fewer dimensions, by a PCA fitted on strings."""

import sys
from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.embedding.chosen_encoder import check_counts
from workflow_scripts.embedding.recorded_settings import settle_settings
from workflow_scripts.embedding.settings import OPTIONS, Pooling, SettingsOptions
from workflow_scripts.errors import UserError
from workflow_scripts.imports import MachineOptions, check_threads, quick_imports
from workflow_scripts.locking import sole_run
from workflow_scripts.option_paths import check_files
from workflow_scripts.path_functions import command
from workflow_scripts.string_columns import TableOptions, column_of
from workflow_scripts.tune import check_output

EXAMPLE = """
COMMAND --model my-encoder --strings resources/sample_data/names/biomedical_names.txt \\
    --dimensions 64 --output my-small-encoder
"""


def reduce(
    *,
    model: str,
    strings: Path,
    dimensions: int,
    output: Path,
    pooling: Pooling | None = None,
    max_length: int | None = None,
    overwrite: bool = False,
    table: TableOptions,
    machine: MachineOptions,
) -> None:
    """Make an encoder with fewer dimensions, by a PCA fitted on a sample of strings.

    The new folder has the same model and one more module, a Dense layer; use it like any other. The
    share of nearest neighbours that it keeps is printed, for strings that the PCA was not fitted
    on.

    Args:
        model: model folder or hub id (id@revision)
        strings: strings like those to embed: a text file, one per line, or a table
        dimensions: dimensions of the new encoder
        output: encoder folder to write
        pooling: default: the encoder's own
        max_length: most tokens of a string (default: the encoder's own, else 64)
        overwrite: replace the contents of the output
    """
    check_threads(machine.threads)
    check_counts(dimensions=dimensions)
    check_files("--strings", strings, folders=bool(table.column))
    table.check("--strings", strings)
    check_output(output, overwrite, [model, strings], None)
    settings = settle_settings(model, SettingsOptions(pooling=pooling, max_length=max_length))
    lines = column_of(strings, table)
    if not lines:
        raise UserError(strings, "no strings to fit a PCA on", "write one per line")
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        from workflow_scripts.embedding.encoder import load_with_settings
        from workflow_scripts.embedding.reduction import sample_strings
        from workflow_scripts.retrieval.vector_loss import SEARCHED, recall_line, split_strings

    with sole_run("--output", output):
        encoder = load_with_settings(model, settings, machine.device, machine.threads, OPTIONS)
        queries, others = split_strings(lines)
        reduced = encoder.reduce(dimensions, others, progress=True)
        reduced.write(output.resolve())
        searched = sample_strings(others, SEARCHED)
        whole, cut = (
            [each.encode(part) for part in (queries, searched)] for each in (encoder, reduced)
        )
        shown = f"dimensions {dimensions} of {encoder.dimension}"
        print(recall_line(shown, whole, cut), file=sys.stderr)
        print(f"encoder of {dimensions} dimensions written to {output}")


main = command(reduce, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
