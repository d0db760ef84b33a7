"""The encoder of a command: the options that choose one, and the encoder of strings they choose."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from workflow_scripts.embedding.settings import OPTIONS, EncoderSettings, SettingsOptions
from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of
from workflow_scripts.imports import (
    MachineOptions,
    check_threads,
    quick_imports,
)

if TYPE_CHECKING:
    from workflow_scripts.embedding.string_encoding import StringEncoder


@dataclass(frozen=True)
class EncoderOptions(SettingsOptions):
    """How strings become vectors, and how they are computed.

    Args:
        backend: what runs the model
        precision: of matrix products; auto: float16 on CUDA
        token_budget: positions (padded tokens) in one batch
    """

    backend: Literal["torch", "onnx", "onnx-int8"] = "torch"
    precision: Literal["float32", "auto", "float16", "bfloat16"] = "float32"
    token_budget: int | None = None


def check_encoder_options(encoder: EncoderOptions, machine: MachineOptions) -> None:
    """Raise `UserError` for options that no encoder can take, before anything is loaded."""
    if encoder.backend != "torch" and encoder.precision not in ("float32", "auto"):
        problem = "only for --backend torch"
        raise UserError(f"--precision {encoder.precision}", problem, "leave it out")
    check_threads(machine.threads)
    check_counts(token_budget=encoder.token_budget)


def check_counts(**counts: int | None) -> None:
    """Raise `UserError` for a count, by the name of its option, that is given and below 1."""
    for name, count in counts.items():
        if count is not None and count < 1:
            raise UserError(f"--{name.replace('_', '-')} {count}", "give 1 or more", None)


def open_encoder(
    model: str, settings: EncoderSettings, options: EncoderOptions, machine: MachineOptions
) -> tuple["StringEncoder", dict[str, Any]]:
    """Return the encoder of strings of a model folder or hub id, and what it is, as JSON values.

    `settings` decide what its vectors are, `options` how they are computed.
    """
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        from workflow_scripts.embedding import encoder_folder
        from workflow_scripts.embedding.string_encoding import choose_precision, torch_encoder
        from workflow_scripts.embedding.torch_setup import set_up_torch

    provenance: dict[str, Any] = {"backend": options.backend, "precision": "float32"}
    versions = {}
    if options.backend == "torch":
        device = set_up_torch(machine.threads, machine.device)
        loaded = encoder_folder.load_model(model, device)
        loaded.check_settings(settings, OPTIONS)
        budget, precision = options.token_budget, options.precision
        encoder = torch_encoder(loaded, settings, budget, precision)
        # what `auto` comes to
        if (dtype := choose_precision(precision, device)) is not None:
            provenance["precision"] = str(dtype).removeprefix("torch.")
        provenance["device"] = device.type
    else:
        folder = encoder_folder.resolve_model_folder(model)
        path = encoder_folder.find_onnx_file(folder, int8=options.backend == "onnx-int8")
        import onnxruntime

        from workflow_scripts.embedding.onnx_encoding import onnx_encoder, runs_on_cuda

        versions["onnxruntime"] = onnxruntime.__version__
        set_up_torch(machine.threads, "cpu")
        # The model itself says which settings it can take.
        loaded = encoder_folder.load_model(model)
        loaded.check_settings(settings, OPTIONS)
        encoder = onnx_encoder(
            *(loaded, path, settings),
            *(machine.threads, machine.device, options.token_budget),
        )
        provenance["device"] = "cuda" if runs_on_cuda(machine.device) else "cpu"
        provenance["onnx_sha256"] = sha256_of(path)
    loaded.warn_of_settings(settings)
    provenance |= loaded.provenance(settings) | {"token_budget": encoder.token_budget}
    provenance["versions"] |= versions
    return encoder, provenance
