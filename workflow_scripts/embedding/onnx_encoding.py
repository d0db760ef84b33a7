"""Vectors through ONNX Runtime, batched and pooled as those of torch."""

from pathlib import Path

import onnxruntime
import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.onnx_files import WEIGHTS_KEY
from workflow_scripts.embedding.pooling import pool_hidden_states
from workflow_scripts.embedding.string_encoding import TOKEN_BUDGETS, StringEncoder
from workflow_scripts.errors import UserError


def open_session(path: Path, threads: int, device: str) -> onnxruntime.InferenceSession:
    """Open an ONNX file on the CPU, or on CUDA for `cuda`, and for `auto` where it is offered."""
    available = onnxruntime.get_available_providers()
    cuda = "CUDAExecutionProvider"
    if device == "cuda" and cuda not in available:
        raise UserError(
            "--device cuda: this ONNX Runtime has no CUDA; use --device cpu or --backend torch"
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    providers = ["CPUExecutionProvider"]
    if device != "cpu" and cuda in available:
        providers.insert(0, cuda)
    try:
        return onnxruntime.InferenceSession(path, options, providers=providers)
    except Exception as error:  # the runtime has a kind for each failure, all of its own
        raise UserError(
            f"{path}: cannot be loaded ({str(error)[:200]}); export it again"
        ) from error


def onnx_encoder(
    loaded: LoadedModel,
    path: Path,
    pooling: str,
    max_length: int,
    threads: int,
    device: str = "cpu",
    token_budget: int | None = None,
) -> StringEncoder:
    """Return the encoder that runs the ONNX file `path` of the folder that `loaded` is from.

    Raises `UserError` for a pooling or length that the model cannot take, and for a file that was
    made from other weights.
    """
    loaded.check_pooling(pooling, max_length)
    session = open_session(path, threads, device)
    made_from = session.get_modelmeta().custom_metadata_map.get(WEIGHTS_KEY)
    if made_from != loaded.weights_sha256:
        raise UserError(f"{path}: was made from other weights than the folder's; export it again")
    input_names = [node.name for node in session.get_inputs()]
    output_name = "pooler_output" if pooling == "pooler" else "last_hidden_state"

    def run_batch(input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        feed = {
            "input_ids": input_ids.numpy(),
            "attention_mask": attention_mask.numpy(),
            "token_type_ids": torch.zeros_like(input_ids).numpy(),
        }
        output = session.run([output_name], {name: feed[name] for name in input_names})[0]
        states = torch.from_numpy(output)
        return pool_hidden_states(states, attention_mask, pooling, states)

    on_gpu = session.get_providers()[0] != "CPUExecutionProvider"
    return StringEncoder(
        run_batch,
        loaded.tokenizer,
        loaded.model.config.hidden_size,
        pooling,
        max_length,
        token_budget or TOKEN_BUDGETS["cuda" if on_gpu else "cpu"],
    )
