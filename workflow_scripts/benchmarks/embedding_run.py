"""One timed run of one way of embedding, in a process of its own; prints its measures as JSON.

Not for users: `run_benchmarks` starts it. Some strings are embedded to warm up, then all of them;
the seconds are from raw strings to vectors, without imports and loading.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from workflow_scripts.benchmarks.contenders import (
    OURS,
    OURS_INT8,
    OURS_ONNX,
    SENTENCE_TRANSFORMERS,
)
from workflow_scripts.benchmarks.stopwatch import Stopwatch
from workflow_scripts.embedding.recorded_choices import settle_pooling
from workflow_scripts.errors import run_command
from workflow_scripts.files import read_lines

WARM_UP = 100
# Embeds strings to vectors [number of strings, D].
Encoder = Callable[[Sequence[str]], Any]


def load_ours(folder: str, batch_size: int | None, threads: int) -> Encoder:
    """Return the project's encoding in float32, which chooses its batches itself."""
    from workflow_scripts.embedding.encoder_folder import load_model
    from workflow_scripts.embedding.string_encoding import encode_strings

    pooling, max_length = settle_pooling(folder, None, None)
    loaded = load_model(folder)
    return lambda strings: encode_strings(loaded, strings, pooling, max_length)


def load_onnx(folder: str, batch_size: int | None, threads: int, int8: bool = False) -> Encoder:
    """Return the project's encoding through the ONNX file of the folder, in float32 or int8."""
    from workflow_scripts.embedding.encoder_folder import load_model
    from workflow_scripts.embedding.onnx_encoding import onnx_encoder
    from workflow_scripts.embedding.onnx_files import find_onnx_file

    pooling, max_length = settle_pooling(folder, None, None)
    path = find_onnx_file(Path(folder), int8)
    return onnx_encoder(load_model(folder), path, pooling, max_length, threads).encode


def load_sentence_transformers(folder: str, batch_size: int | None, threads: int) -> Encoder:
    """Return the encoding of sentence-transformers, with its own batch size if None."""
    from sentence_transformers import SentenceTransformer

    encoder = SentenceTransformer(folder, device="cpu")
    options = {} if batch_size is None else {"batch_size": batch_size}
    return lambda strings: encoder.encode(list(strings), show_progress_bar=False, **options)


# Each gets the encoder folder, the batch size that was asked for and the number of threads.
LOADERS: dict[str, Callable[[str, int | None, int], Encoder]] = {
    SENTENCE_TRANSFORMERS: load_sentence_transformers,
    OURS: load_ours,
    OURS_ONNX: load_onnx,
    OURS_INT8: partial(load_onnx, int8=True),
}


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contender", required=True, choices=LOADERS)
    parser.add_argument("--encoder", required=True, help="encoder folder")
    parser.add_argument("--strings", required=True, help="text file, one string a line")
    parser.add_argument("--batch-size", type=int, help="of sentence-transformers")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--vectors", help="where to write the vectors, .npy")
    arguments = parser.parse_args(argv)
    strings = read_lines(arguments.strings)

    import numpy as np
    import psutil

    from workflow_scripts.embedding.torch_setup import set_up_torch

    set_up_torch(arguments.threads, "cpu")
    encode = LOADERS[arguments.contender](
        arguments.encoder, arguments.batch_size, arguments.threads
    )
    memory_before = psutil.Process().memory_info().rss
    encode(strings[:WARM_UP])
    stopwatch = Stopwatch()
    vectors = encode(strings)
    times = stopwatch.read()
    if arguments.vectors:
        np.save(arguments.vectors, vectors)
    print(
        json.dumps(
            {
                "strings": len(strings),
                "loop_seconds": times.seconds,
                "processor_seconds": times.processor_seconds,
                "strings_per_second": len(strings) / times.seconds,
                "memory_before": memory_before,
            }
        )
    )


if __name__ == "__main__":
    run_command(main)
