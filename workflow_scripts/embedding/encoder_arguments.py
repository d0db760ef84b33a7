"""The options of front doors that say how an encoder runs."""

import argparse

from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.imports import default_threads

BACKENDS = ("torch", "onnx", "onnx-int8")


def add_encoder_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that `given_encoder.load_given_encoder` takes."""
    parser.add_argument("--backend", default="torch", help="torch, onnx or onnx-int8")
    products = "type of the matrix products; auto: float16 on CUDA, float32 on a CPU"
    types = ("float32", "auto", "float16", "bfloat16")
    parser.add_argument("--precision", choices=types, default="float32", help=products)
    parser.add_argument("--token-budget", type=int, help="positions (padded tokens) in one batch")
    parser.add_argument("--threads", type=int, default=default_threads())
    parser.add_argument("--device", choices=("cpu", "cuda", "auto"), default="auto")


def check_encoder_arguments(options: argparse.Namespace, *counts: str) -> None:
    """Raise `UserError` for what does not fit; `counts` are further options of 1 or more."""
    if options.backend not in BACKENDS:
        hint = nearest_name(options.backend, BACKENDS)
        raise UserError(f"--backend {options.backend}: unknown; {hint}")
    if options.backend != "torch" and options.precision not in ("float32", "auto"):
        raise UserError(f"--precision {options.precision}: only for --backend torch")
    for name in ("threads", "token_budget", *counts):
        if (count := getattr(options, name)) is not None and count < 1:
            raise UserError(f"--{name.replace('_', '-')} {count}: give 1 or more")
