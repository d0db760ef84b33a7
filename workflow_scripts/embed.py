"""Command: embed the lines of a text file with any encoder, to one .npy file.

Row i of the output belongs to line i; equal lines are run once. Large files are embedded shard by
shard: a run that was stopped goes on when the same command is given again.
"""

import argparse
from pathlib import Path

import numpy as np

from workflow_scripts.cli import check_files, command_parser
from workflow_scripts.embedding.chosen_encoder import (
    add_encoder_arguments,
    check_counts,
    check_encoder_arguments,
    open_encoder,
)
from workflow_scripts.embedding.principal_components import principal_components, remove_components
from workflow_scripts.embedding.recorded_settings import settle_settings
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.vector_shards import DTYPES, SHARD_SIZE, ShardedJob, embed_in_shards
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import check_new_file, check_own_json, read_lines, sha256_of, write_json
from workflow_scripts.locking import sole_run

EXAMPLE = """
COMMAND --model my-encoder --strings resources/sample_data/names/biomedical_names.txt \\
    --output vectors.npy
"""


def embed(arguments: argparse.Namespace, strings: list[str], settings: EncoderSettings) -> None:
    encoder, provenance = open_encoder(arguments, arguments.model, settings)
    output, size = arguments.output.resolve(), arguments.shard_size
    job = ShardedJob(output, strings, encoder.dimension, provenance, arguments.dtype, size)
    count = arguments.remove_components or 0

    def finish(vectors: np.ndarray) -> None:
        if count:
            remove_components(vectors, principal_components(vectors, count))

    embed_in_shards(job, encoder.encode, finish)
    if arguments.record:
        content = {"dimension": encoder.dimension, "dtype": arguments.dtype}
        content |= {"remove_components": count}
        content |= {"strings": len(strings), "strings_sha256": sha256_of(arguments.strings)}
        write_json(arguments.record, provenance | content)
    print(f"{arguments.output}: {len(strings)} vectors of {encoder.dimension} {arguments.dtype}")


def main(argv: list[str] | None = None) -> None:
    parser = command_parser("embed", __doc__, EXAMPLE)
    parser.add_argument("--model", required=True, help="model folder or hub id (id@revision)")
    parser.add_argument("--strings", required=True, help="UTF-8 text file, one string a line")
    parser.add_argument("--output", required=True, type=Path, help="vectors, .npy, row = line")
    parser.add_argument("--record", type=Path, help="what was embedded with what, as JSON")
    add_encoder_arguments(parser)
    parser.add_argument("--dtype", choices=DTYPES, default="float32", help="type of the output")
    removed = "take the first N principal components out: of strings of one language, in float32"
    parser.add_argument("--remove-components", type=int, metavar="N", help=removed)
    parser.add_argument("--shard-size", type=int, default=SHARD_SIZE, help="strings of a shard")
    parser.add_argument("--overwrite", action="store_true", help="replace the output")
    arguments = parser.parse_args(argv)
    check_encoder_arguments(arguments)
    if arguments.remove_components is not None and arguments.dtype != "float32":
        raise UserError(
            "--remove-components", "rounded vectors would be changed", "--dtype float32"
        )
    check_counts(arguments, "shard_size", "remove_components")
    if arguments.output.suffix != ".npy":
        raise UserError(f"--output {arguments.output}", "give a file name that ends in .npy", None)
    check_files("--strings", arguments.strings)
    check_new_file("--output", arguments.output, arguments.overwrite, [arguments.strings])
    if arguments.record is not None:
        taken = [arguments.strings, arguments.output]
        check_own_json("--record", arguments.record, "strings_sha256", taken)
    settings = settle_settings(arguments.model, arguments)
    strings = read_lines(arguments.strings)
    if not strings:
        raise UserError(arguments.strings, "no strings to embed", "write one on each line")
    with sole_run("--output", arguments.output):
        embed(arguments, strings, settings)


if __name__ == "__main__":
    run_command(main)
