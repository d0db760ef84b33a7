"""Front door: embed the lines of a text file with any encoder, to one .npy file.

Row i of the output belongs to line i; equal lines are run once. Large files are embedded shard by
shard: a run that was stopped goes on when the same command is given again.
"""

import argparse
import os
from pathlib import Path
from typing import Any

from workflow_scripts.embedding.recorded_choices import add_pooling_arguments, settle_pooling
from workflow_scripts.embedding.vector_shards import DTYPES, SHARD_SIZE, ShardedJob, embed_in_shards
from workflow_scripts.errors import UserError, nearest_name, run_command
from workflow_scripts.files import read_lines, sha256_of, write_json
from workflow_scripts.imports import default_threads, quick_imports

BACKENDS = ("torch", "onnx", "onnx-int8")


def check_output(output: Path, overwrite: bool) -> None:
    if output.suffix != ".npy":
        raise UserError(f"--output {output}: give a file name that ends in .npy")
    if output.is_dir():
        raise UserError(f"--output {output}: is a folder; give a file name")
    if output.exists() and not overwrite:
        raise UserError(f"--output {output}: exists; choose another or add --overwrite")
    parent = next(path for path in output.resolve().parents if path.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise UserError(f"--output {output}: cannot be made in {parent}; choose another")


def embed(arguments: argparse.Namespace, strings: list[str], pooling: str, max_length: int) -> None:
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import numpy as np
        import torch
        import transformers

        from workflow_scripts.embedding import encoder_folder
        from workflow_scripts.embedding.principal_components import (
            principal_components,
            remove_components,
        )
        from workflow_scripts.embedding.string_encoding import torch_encoder
        from workflow_scripts.embedding.torch_setup import set_up_torch

    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    if arguments.backend == "torch":
        device = set_up_torch(arguments.threads, arguments.device)
        loaded = encoder_folder.load_model(arguments.model, device)
        budget, precision = arguments.token_budget, arguments.precision
        encoder = torch_encoder(loaded, pooling, max_length, budget, precision)
    else:
        folder = encoder_folder.resolve_model_folder(arguments.model)
        path = encoder_folder.find_onnx_file(folder, int8=arguments.backend == "onnx-int8")
        import onnxruntime

        from workflow_scripts.embedding.onnx_encoding import onnx_encoder

        versions["onnxruntime"] = onnxruntime.__version__
        set_up_torch(arguments.threads, "cpu")
        # The model itself says which pooling and length it can take.
        loaded = encoder_folder.load_model(arguments.model)
        encoder = onnx_encoder(
            *(loaded, path, pooling, max_length),
            *(arguments.threads, arguments.device, arguments.token_budget),
        )
    loaded.warn_of_missing_mark(pooling)
    maker: dict[str, Any] = {"backend": arguments.backend, "precision": arguments.precision}
    maker |= {"max_length": max_length, "pooling": pooling, "token_budget": encoder.token_budget}
    maker |= {"model": loaded.name, "weights_sha256": loaded.weights_sha256, "versions": versions}
    output, size = arguments.output.resolve(), arguments.shard_size
    job = ShardedJob(output, strings, encoder.dimension, maker, arguments.dtype, size)
    count = arguments.remove_components or 0

    def finish(vectors: np.ndarray) -> None:
        if count:
            remove_components(vectors, principal_components(vectors, count))

    embed_in_shards(job, encoder.encode, finish)
    if arguments.record:
        content = {"dimension": encoder.dimension, "dtype": arguments.dtype}
        content |= {"remove_components": count}
        content |= {"strings": len(strings), "strings_sha256": sha256_of(arguments.strings)}
        write_json(arguments.record, maker | content)
    print(f"{arguments.output}: {len(strings)} vectors of {encoder.dimension} {arguments.dtype}")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m workflow_scripts.embed", description=__doc__)
    parser.add_argument("--model", required=True, help="model folder or hub id (id@revision)")
    parser.add_argument("--strings", required=True, help="UTF-8 text file, one string a line")
    parser.add_argument("--output", required=True, type=Path, help="vectors, .npy, row = line")
    parser.add_argument("--record", type=Path, help="what was embedded with what, as JSON")
    add_pooling_arguments(parser)
    parser.add_argument("--dtype", choices=DTYPES, default="float32", help="type of the output")
    removed = "take the first N principal components out: of strings of one language, in float32"
    parser.add_argument("--remove-components", type=int, metavar="N", help=removed)
    parser.add_argument("--backend", default="torch", help="torch, onnx or onnx-int8")
    products = "type of the matrix products; auto: float16 on CUDA, float32 on a CPU"
    types = ("float32", "auto", "float16", "bfloat16")
    parser.add_argument("--precision", choices=types, default="float32", help=products)
    parser.add_argument("--token-budget", type=int, help="positions (padded tokens) in one batch")
    parser.add_argument("--threads", type=int, default=default_threads())
    parser.add_argument("--device", choices=("cpu", "cuda", "auto"), default="auto")
    parser.add_argument("--shard-size", type=int, default=SHARD_SIZE, help="strings of a shard")
    parser.add_argument("--overwrite", action="store_true", help="replace the output")
    arguments = parser.parse_args(argv)
    if arguments.backend not in BACKENDS:
        hint = nearest_name(arguments.backend, BACKENDS)
        raise UserError(f"--backend {arguments.backend}: unknown; {hint}")
    if arguments.backend != "torch" and arguments.precision not in ("float32", "auto"):
        raise UserError(f"--precision {arguments.precision}: only for --backend torch")
    if arguments.remove_components is not None and arguments.dtype != "float32":
        raise UserError("--remove-components: rounded vectors would be changed; --dtype float32")
    for name in ("threads", "token_budget", "shard_size", "remove_components"):
        if (count := getattr(arguments, name)) is not None and count < 1:
            raise UserError(f"--{name.replace('_', '-')} {count}: give 1 or more")
    check_output(arguments.output, arguments.overwrite)
    pooling, max_length = settle_pooling(arguments.model, arguments.pooling, arguments.max_length)
    strings = read_lines(arguments.strings)
    if not strings:
        raise UserError(f"{arguments.strings}: no strings to embed; write one on each line")
    embed(arguments, strings, pooling, max_length)


if __name__ == "__main__":
    run_command(main)
