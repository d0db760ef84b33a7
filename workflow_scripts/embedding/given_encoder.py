"""The encoder of strings that a front door is given: model, backend, device, threads."""

import argparse
from typing import Any

import torch
import transformers

from workflow_scripts.embedding import encoder_folder
from workflow_scripts.embedding.string_encoding import StringEncoder, torch_encoder
from workflow_scripts.embedding.torch_setup import set_up_torch


def load_given_encoder(
    model: str, options: argparse.Namespace, pooling: str, max_length: int
) -> tuple[StringEncoder, dict[str, Any]]:
    """Return the encoder of a model folder or hub id, and in JSON values what makes its vectors.

    `options` are those of `encoder_arguments.add_encoder_arguments`. Raises `UserError` for a model
    that cannot be loaded or lacks the form of the backend.
    """
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    if options.backend == "torch":
        device = set_up_torch(options.threads, options.device)
        loaded = encoder_folder.load_model(model, device)
        budget, precision = options.token_budget, options.precision
        encoder = torch_encoder(loaded, pooling, max_length, budget, precision)
    else:
        folder = encoder_folder.resolve_model_folder(model)
        path = encoder_folder.find_onnx_file(folder, int8=options.backend == "onnx-int8")
        import onnxruntime

        from workflow_scripts.embedding.onnx_encoding import onnx_encoder

        versions["onnxruntime"] = onnxruntime.__version__
        set_up_torch(options.threads, "cpu")
        # The model itself says which pooling and length it can take.
        loaded = encoder_folder.load_model(model)
        encoder = onnx_encoder(
            *(loaded, path, pooling, max_length),
            *(options.threads, options.device, options.token_budget),
        )
    loaded.warn_of_missing_mark(pooling)
    maker: dict[str, Any] = {"backend": options.backend, "precision": options.precision}
    maker |= {"max_length": max_length, "pooling": pooling, "token_budget": encoder.token_budget}
    maker |= {"model": loaded.name, "weights_sha256": loaded.weights_sha256, "versions": versions}
    return encoder, maker
