"""Command of rule `embed_suite`: the vectors of the strings of data sets under one encoder."""

import argparse
import json
from pathlib import Path
from typing import Any

from workflow_scripts.embedding.settings import RECIPE_KEYS, EncoderSettings
from workflow_scripts.embedding.suite_vectors import (
    number_strings,
    read_string_lists,
    write_vectors,
)
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import sha256_of, write_json
from workflow_scripts.imports import quick_imports


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="model or encoder folder, or hub id")
    ids = "ids of data sets; of a lexicon's side data set/side"
    parser.add_argument("--datasets", required=True, nargs="+", metavar="ID", help=ids)
    files = "text file of each, one string per line"
    parser.add_argument("--strings", required=True, nargs="+", metavar="FILE", help=files)
    parser.add_argument("--settings", required=True, help="of the encoder, as JSON")
    parser.add_argument(
        "--output", required=True, type=Path, help="vectors, float32 .npy; rows by data set: .npz"
    )
    parser.add_argument("--record", required=True, help="what was embedded with what, .json")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "cuda", "auto"), default="cpu")
    arguments = parser.parse_args(argv)
    settings = EncoderSettings.from_record(json.loads(arguments.settings), RECIPE_KEYS)
    lists = read_string_lists(arguments.datasets, arguments.strings)

    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import numpy as np
        import torch
        import transformers

        from workflow_scripts.embedding.encoder_folder import load_model
        from workflow_scripts.embedding.string_encoding import encode_strings
        from workflow_scripts.embedding.torch_setup import set_up_torch

    loaded = load_model(arguments.model, set_up_torch(arguments.threads, arguments.device))
    loaded.warn_of_missing_mark(settings.pooling)
    strings, rows = number_strings(lists)
    vectors = encode_strings(loaded, strings, settings, report=True)
    if not np.isfinite(vectors).all():
        problem = "gives vectors that are not finite"
        raise UserError(arguments.model, problem, "tune or fetch it anew")
    write_vectors(arguments.output, vectors, rows)
    record: dict[str, Any] = {"model": loaded.name, "weights_sha256": loaded.weights_sha256}
    record |= {"dimension": vectors.shape[1], **settings.as_record()}
    hashes = map(sha256_of, arguments.strings)
    record |= {"strings": len(strings), "datasets": dict(zip(lists, hashes, strict=True))}
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    write_json(arguments.record, record | {"versions": versions})


if __name__ == "__main__":
    run_command(main)
