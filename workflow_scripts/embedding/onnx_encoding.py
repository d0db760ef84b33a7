"""Vectors through ONNX Runtime, batched and pooled as those of torch."""

from pathlib import Path

import onnxruntime
import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.pooling import pool_hidden_states
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import TOKEN_BUDGETS, StringEncoder
from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of

# Keys of a file's metadata that hold the SHA-256 of the weights and the config it was made from.
WEIGHTS_KEY, CONFIG_KEY = "weights_sha256", "config_sha256"
CUDA = "CUDAExecutionProvider"


def origin_of(loaded: LoadedModel) -> dict[str, str]:
    """Return what an exported file's metadata say of the model folder that it was made from."""
    config = loaded.folder / "config.json" if loaded.folder else None
    return {WEIGHTS_KEY: loaded.weights_sha256, CONFIG_KEY: sha256_of(config) if config else ""}


def runs_on_cuda(device: str) -> bool:
    """Tell whether `open_session` uses CUDA: for `cuda`, and for `auto` where it is offered."""
    return device != "cpu" and CUDA in onnxruntime.get_available_providers()


def open_session(path: Path, device: str) -> onnxruntime.InferenceSession:
    """Open an ONNX file on the CPU, or on CUDA where `runs_on_cuda`."""
    if device == "cuda" and not runs_on_cuda(device):
        raise UserError("--device cuda", "not in this ONNX Runtime", "use cpu or --backend torch")
    options = onnxruntime.SessionOptions()
    # Each worker runs a batch of its own on one core.
    options.intra_op_num_threads = 1
    providers = ["CPUExecutionProvider"]
    if runs_on_cuda(device):
        providers.insert(0, CUDA)
    try:
        return onnxruntime.InferenceSession(path, options, providers=providers)
    except Exception as error:  # the runtime has a kind for each failure, all of its own
        raise UserError(path, f"cannot be loaded ({error!s:.200})", "export it again") from error


def onnx_encoder(
    loaded: LoadedModel,
    path: Path,
    settings: EncoderSettings,
    threads: int,
    device: str = "cpu",
    token_budget: int | None = None,
) -> StringEncoder:
    """Return the encoder that runs the ONNX file `path` of the folder that `loaded` is from.

    Raises `UserError` for settings that need what the file does not hold.
    """
    loaded.check_settings(settings)
    pooling = settings.pooling
    if pooling == "projected":
        raise UserError("pooling projected", "the exported model has no projections", "use torch")
    if settings.layer is not None:
        problem = "the exported model gives only the last layer"
        raise UserError(f"layer {settings.layer}", problem, "use torch")
    session = open_session(path, device)
    made_from = session.get_modelmeta().custom_metadata_map
    for key, value in origin_of(loaded).items():
        if made_from.get(key) != value:
            other = "other weights" if key == WEIGHTS_KEY else "another config.json"
            raise UserError(path, f"was exported from {other} than the folder's", "export it again")
    input_names = [node.name for node in session.get_inputs()]
    modules = loaded.modules_of(settings)
    output_name = "pooler_output" if pooling == "pooler" else "last_hidden_state"

    def run_batch(input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        feed = {"input_ids": input_ids, "attention_mask": attention_mask}
        feed["token_type_ids"] = torch.zeros_like(input_ids)
        chosen = {name: feed[name].numpy() for name in input_names}
        states = torch.from_numpy(session.run([output_name], chosen)[0])
        vectors = pool_hidden_states(states, attention_mask, pooling, states)
        return vectors if modules is None else modules(vectors)

    on_gpu = session.get_providers()[0] != "CPUExecutionProvider"
    return StringEncoder(
        *(run_batch, loaded.tokenizer, loaded.size_of(settings), settings),
        token_budget=token_budget or TOKEN_BUDGETS["cuda" if on_gpu else "cpu"],
        workers=1 if on_gpu else threads,
    )
