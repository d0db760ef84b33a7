"""Command of rule `embed_suite`: the vectors of all strings of a suite under one encoder."""

import argparse
import json
from typing import Any

from workflow_scripts.embedding.settings import RECIPE_KEYS, EncoderSettings
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import atomic_file, read_lines, sha256_of, write_json
from workflow_scripts.imports import quick_imports


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="model or encoder folder, or hub id")
    parser.add_argument("--strings", required=True, help="text file, one string per line")
    parser.add_argument("--settings", required=True, help="of the encoder, as JSON")
    parser.add_argument("--output", required=True, help="vectors, float32 .npy, row = string id")
    parser.add_argument("--record", required=True, help="what was embedded with what, .json")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "cuda", "auto"), default="cpu")
    arguments = parser.parse_args(argv)
    settings = EncoderSettings.from_record(json.loads(arguments.settings), RECIPE_KEYS)
    strings = read_lines(arguments.strings)
    if not strings:
        raise UserError(arguments.strings, "no strings to embed", "remake the suite")

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
    vectors = encode_strings(loaded, strings, settings, report=True)
    if not np.isfinite(vectors).all():
        problem = "gives vectors that are not finite"
        raise UserError(arguments.model, problem, "tune or fetch it anew")
    with atomic_file(arguments.output) as temporary, open(temporary, "wb") as stream:
        np.save(stream, vectors)
    record: dict[str, Any] = {"model": loaded.name, "weights_sha256": loaded.weights_sha256}
    record |= {"dimension": vectors.shape[1], **settings.as_record()}
    record |= {"strings": len(strings), "strings_sha256": sha256_of(arguments.strings)}
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    write_json(arguments.record, record | {"versions": versions})


if __name__ == "__main__":
    run_command(main)
