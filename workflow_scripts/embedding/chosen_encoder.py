"""The encoder of a command: the options that choose one, and the encoder of strings they choose."""

import argparse
from typing import TYPE_CHECKING, Any

from workflow_scripts.embedding.recorded_settings import add_settings_arguments
from workflow_scripts.embedding.settings import OPTIONS, EncoderSettings
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.files import sha256_of
from workflow_scripts.imports import add_machine_arguments, check_threads, quick_imports

if TYPE_CHECKING:
    from workflow_scripts.embedding.string_encoding import StringEncoder

BACKENDS = ("torch", "onnx", "onnx-int8")


def add_encoder_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that `check_encoder_arguments` and `open_encoder` take."""
    group = parser.add_argument_group("encoder")
    add_settings_arguments(group)
    group.add_argument("--backend", default="torch", help="torch, onnx or onnx-int8")
    products = "type of the matrix products; auto: float16 on CUDA, float32 on a CPU"
    types = ("float32", "auto", "float16", "bfloat16")
    group.add_argument("--precision", choices=types, default="float32", help=products)
    group.add_argument("--token-budget", type=int, help="positions (padded tokens) in one batch")
    add_machine_arguments(parser)


def check_encoder_arguments(arguments: argparse.Namespace) -> None:
    """Raise `UserError` for options that no encoder can take, before anything is loaded."""
    if arguments.backend not in BACKENDS:
        hint = nearest_name(arguments.backend, BACKENDS)
        raise UserError(f"--backend {arguments.backend}", "unknown", hint)
    if arguments.backend != "torch" and arguments.precision not in ("float32", "auto"):
        problem = "only for --backend torch"
        raise UserError(f"--precision {arguments.precision}", problem, "leave it out")
    check_threads(arguments.threads)
    check_counts(arguments, "token_budget")


def check_counts(arguments: argparse.Namespace, *names: str) -> None:
    """Raise `UserError` for a count that is given and below 1."""
    for name in names:
        if (count := getattr(arguments, name)) is not None and count < 1:
            raise UserError(f"--{name.replace('_', '-')} {count}", "give 1 or more", None)


def open_encoder(
    arguments: argparse.Namespace, model: str, settings: EncoderSettings
) -> tuple["StringEncoder", dict[str, Any]]:
    """Return the encoder of strings of a model folder or hub id, and what it is, as JSON values."""
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import torch
        import transformers

        from workflow_scripts.embedding import encoder_folder
        from workflow_scripts.embedding.string_encoding import choose_precision, torch_encoder
        from workflow_scripts.embedding.torch_setup import set_up_torch

    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    provenance: dict[str, Any] = {"backend": arguments.backend, "precision": "float32"}
    if arguments.backend == "torch":
        device = set_up_torch(arguments.threads, arguments.device)
        loaded = encoder_folder.load_model(model, device)
        loaded.check_settings(settings, OPTIONS)
        budget, precision = arguments.token_budget, arguments.precision
        encoder = torch_encoder(loaded, settings, budget, precision)
        # what `auto` comes to
        if (dtype := choose_precision(precision, device)) is not None:
            provenance["precision"] = str(dtype).removeprefix("torch.")
        provenance["device"] = device.type
    else:
        folder = encoder_folder.resolve_model_folder(model)
        path = encoder_folder.find_onnx_file(folder, int8=arguments.backend == "onnx-int8")
        import onnxruntime

        from workflow_scripts.embedding.onnx_encoding import onnx_encoder, runs_on_cuda

        versions["onnxruntime"] = onnxruntime.__version__
        set_up_torch(arguments.threads, "cpu")
        # The model itself says which settings it can take.
        loaded = encoder_folder.load_model(model)
        loaded.check_settings(settings, OPTIONS)
        encoder = onnx_encoder(
            *(loaded, path, settings),
            *(arguments.threads, arguments.device, arguments.token_budget),
        )
        provenance["device"] = "cuda" if runs_on_cuda(arguments.device) else "cpu"
        provenance["onnx_sha256"] = sha256_of(path)
    loaded.warn_of_missing_mark(settings.pooling)
    provenance |= settings.as_record() | {"token_budget": encoder.token_budget}
    provenance |= {"model": loaded.name, "weights_sha256": loaded.weights_sha256}
    provenance |= {"model_sha256": loaded.model_sha256, "versions": versions}
    return encoder, provenance
