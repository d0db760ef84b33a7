"""Command: embed the lines of a text file with any encoder, to one .npy file."""

import shutil
import sys
from pathlib import Path

import numpy as np

from workflow_scripts.command_main import run_command
from workflow_scripts.embedding import principal_components as components
from workflow_scripts.embedding.chosen_encoder import (
    EncoderOptions,
    check_counts,
    check_encoder_options,
    open_encoder,
)
from workflow_scripts.embedding.recorded_settings import settle_settings
from workflow_scripts.embedding.vector_shards import (
    SHARD_SIZE,
    Dtype,
    Quantization,
    ShardedJob,
    embed_in_shards,
    embed_once,
)
from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of, sha256_of_lines, without_link, write_json
from workflow_scripts.imports import MachineOptions
from workflow_scripts.locking import sole_run
from workflow_scripts.option_paths import check_files, check_new_file, check_own_json
from workflow_scripts.path_functions import command
from workflow_scripts.string_columns import TableOptions, column_of

EXAMPLE = """
COMMAND --model my-encoder --strings resources/sample_data/names/biomedical_names.txt \\
    --output vectors.npy
"""


def ranges_file(output: Path) -> Path:
    """Return the file of the ranges of int8 codes, next to the output."""
    return output.with_suffix(".ranges.npy")


def embed(
    *,
    model: str,
    strings: Path,
    output: Path,
    record: Path | None = None,
    table: TableOptions,
    encoder: EncoderOptions,
    machine: MachineOptions,
    dtype: Dtype = "float32",
    quantization: Quantization | None = None,
    remove_components: int | None = None,
    shard_size: int = SHARD_SIZE,
    overwrite: bool = False,
) -> None:
    """Embed the lines of a text file with any encoder and write the vectors to one .npy file.

    Row i of the output belongs to line i, or to row i of a table; equal strings are embedded once.
    Large files are embedded shard by shard: if a run is stopped, the same command continues it.

    Args:
        model: model folder or hub id (id@revision)
        strings: UTF-8 text file, one string per line, or a table
        output: vectors, .npy, row = line
        record: write inputs, settings and versions there, as JSON
        dtype: type of the output
        quantization: int8: one byte per dimension, with the ranges in OUTPUT.ranges.npy; binary:
            one bit per dimension, packed; both as quantize_embeddings of sentence-transformers
            writes them
        remove_components: remove the first N principal components; for strings of one language, in
            float32
        shard_size: strings per shard
        overwrite: replace the output
    """
    check_encoder_options(encoder, machine)
    if remove_components is not None and dtype != "float32":
        problem = "rounded vectors would be changed"
        raise UserError("--remove-components", problem, "--dtype float32")
    if quantization is not None and dtype != "float32":
        problem = f"--quantization {quantization} has a type of its own"
        raise UserError(f"--dtype {dtype}", problem, "leave one of them out")
    check_counts(shard_size=shard_size, remove_components=remove_components)
    if output.suffix != ".npy":
        raise UserError(f"--output {output}", "give a file name that ends in .npy", None)
    check_files("--strings", strings, folders=bool(table.column))
    table.check("--strings", strings)
    for file in (output, ranges_file(output)) if quantization == "int8" else (output,):
        check_new_file("--output", file, overwrite, [strings])
    if record is not None:
        check_own_json("--record", record, "strings_sha256", [strings, output])
    settings = settle_settings(model, encoder)
    lines = column_of(strings, table)
    if not lines:
        raise UserError(strings, "no strings to embed", "write one per line")

    def finish(vectors: np.ndarray) -> None:
        if remove_components:
            first = components.principal_components(vectors, remove_components)
            components.remove_components(vectors, first)

    with sole_run("--output", output):
        opened, provenance = open_encoder(model, settings, encoder, machine)
        # Only now: FAISS takes a while, which bad arguments should not wait for.
        from workflow_scripts.retrieval import quantization as quantized
        from workflow_scripts.retrieval.vector_loss import SampledStrings, truncation_line

        shown, size = f"{len(lines)} vectors of {opened.dimension} {dtype}", opened.dimension
        if quantization is None:
            job = ShardedJob(output.resolve(), lines, size, provenance, dtype, shard_size)
            embed_in_shards(job, opened.encode, finish)
        else:
            # the float vectors are kept until their codes are written
            folder = without_link(output.with_name(f".{output.name}.floats"))
            origin = provenance | {"remove_components": remove_components or 0}
            floats = folder / "floats.npy"
            job = ShardedJob(floats, lines, size, origin, shard_size=shard_size)
            vectors = embed_once(job, opened.encode, finish)
            quantized.write_codes(vectors, quantization, output.resolve(), ranges_file(output))
            print(
                quantized.quantization_line(vectors, quantization, machine.threads), file=sys.stderr
            )
            shutil.rmtree(folder)
            shown = f"{len(lines)} vectors of {size} units, {quantization}"
        if opened.settings.dimensions is not None:
            strings_of = SampledStrings(opened, "default", lines)
            print(truncation_line(strings_of), file=sys.stderr)
        if record is not None:
            digest = sha256_of_lines(lines) if table.column else sha256_of(strings)
            provenance |= {"strings": len(lines), "strings_sha256": digest, "dimension": size}
            provenance |= {"dtype": dtype, "remove_components": remove_components or 0}
            if quantization is not None:
                provenance["quantization"] = quantization
            if table.column:
                provenance["table"] = table.described(strings)
            write_json(record, provenance)
        print(f"{output}: {shown}")


main = command(embed, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
