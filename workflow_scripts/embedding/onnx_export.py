"""An encoder folder's model as ONNX, in float32 and in int8, for ONNX Runtime."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from workflow_scripts.embedding.encoder_folder import LoadedModel, onnx_file, position_limit
from workflow_scripts.embedding.onnx_encoding import origin_of
from workflow_scripts.embedding.token_batches import pad_token_ids
from workflow_scripts.embedding.token_types import has_own_token_types
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_file

OPSET = 17
# One protocol buffer cannot hold more.
LARGEST_FILE = 2**31 - 1
# Largest difference of hidden states, relative to the largest one, that float32 sums explain.
TOLERANCE = 1e-4


class HiddenStates(torch.nn.Module):
    """A model that takes its inputs in a fixed order and gives a tuple of tensors."""

    def __init__(self, model: torch.nn.Module, input_names: list[str], output_names: list[str]):
        super().__init__()
        self.model, self.input_names, self.output_names = model, input_names, output_names

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        output = self.model(**dict(zip(self.input_names, inputs, strict=True)))
        return tuple(output[name] for name in self.output_names)


def example_inputs(
    loaded: LoadedModel, input_names: list[str], lengths: list[int]
) -> tuple[torch.Tensor, ...]:
    """Return inputs of strings of so many tokens, as the tokenizer would give them."""
    token_ids = [[(7 * k + row) % 50 + 5 for k in range(n)] for row, n in enumerate(lengths)]
    input_ids, attention_mask = pad_token_ids(token_ids, loaded.tokenizer.pad_token_id)
    known = {"input_ids": input_ids, "attention_mask": attention_mask}
    known["token_type_ids"] = torch.zeros_like(input_ids)
    return tuple(known[name] for name in input_names)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the exporters' warnings (tracing, deprecation, pre-processing) out of our lines."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


@torch.inference_mode()
def export_onnx(loaded: LoadedModel, folder: Path) -> Path:
    """Write onnx/model.onnx into `folder` and return its path; batch and length are free.

    Outputs are `last_hidden_state` and, with a pooler layer, `pooler_output`. The file is written
    only if it gives torch's values at other shapes than the traced one.
    """
    if sum(p.numel() * p.element_size() for p in loaded.model.parameters()) > LARGEST_FILE:
        problem = "more than 2 GB of weights do not fit into one ONNX file"
        raise UserError(loaded.name, problem, "use the torch backend")
    input_names = ["input_ids", "attention_mask"]
    own_types = has_own_token_types(loaded.model)
    if "token_type_ids" in loaded.tokenizer.model_input_names and not own_types:
        input_names.append("token_type_ids")
    output_names = ["last_hidden_state"]
    if getattr(loaded.model, "pooler", None) is not None:
        output_names.append("pooler_output")
    # The exporter puts all of it back into the mode that the outermost module was in.
    wrapped = HiddenStates(loaded.model, input_names, output_names).eval()
    axes = {name: {0: "batch", 1: "length"} for name in [*input_names, "last_hidden_state"]}
    axes |= {name: {0: "batch"} for name in output_names[1:]}
    target = onnx_file(folder, int8=False)
    with atomic_file(target) as temporary:
        try:
            with quiet():
                # Not dynamo: twenty times as long to export, and ONNX Runtime fuses less of its
                # graphs (they ran a fifth slower). What onnxruntime.transformers would fuse
                # beforehand, the session fuses as well or better when it opens the file.
                torch.onnx.export(
                    *(wrapped, example_inputs(loaded, input_names, [4, 7]), str(temporary)),
                    **{"dynamo": False, "opset_version": OPSET, "dynamic_axes": axes},
                    **{"input_names": input_names, "output_names": output_names},
                )
        except Exception as error:  # tracing fails in as many ways as there are models
            raise UserError(
                loaded.name,
                f"cannot be exported to ONNX ({type(error).__name__}: {str(error)[:200]})",
                "use the torch backend",
            ) from error
        # Which weights and config it holds, so that a stale file is noticed.
        model = onnx.load(temporary)
        onnx.helper.set_model_props(model, origin_of(loaded))
        onnx.save(model, temporary)
        check_export(wrapped, loaded, temporary)
    return target


def check_export(wrapped: HiddenStates, loaded: LoadedModel, path: Path) -> None:
    """Raise `UserError` if the file gives other hidden states than torch at some shape."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    longest = min(position_limit(loaded.model) or 40, 40)
    for lengths in ([3], [5] * 9, [3, longest, 6]):
        inputs = example_inputs(loaded, wrapped.input_names, lengths)
        feed = {
            name: value.numpy() for name, value in zip(wrapped.input_names, inputs, strict=True)
        }
        others = session.run(wrapped.output_names, feed)
        for ours, other in zip(wrapped(*inputs), others, strict=True):
            expected = ours.numpy()
            if np.abs(other - expected).max() > TOLERANCE * max(1.0, np.abs(expected).max()):
                raise UserError(
                    loaded.name,
                    "its ONNX model gives different vectors than torch",
                    "use the torch backend",
                )


def quantize_onnx(folder: Path) -> Path:
    """Write onnx/model_quantized.onnx from onnx/model.onnx of `folder`; return its path.

    Matrix products are quantised dynamically, one scale a column, all else stays float32. Weights
    use 7 bits of 8, since processors without VNNI overflow otherwise.
    """
    target = onnx_file(folder, int8=True)
    with atomic_file(target) as temporary, quiet():
        quantize_dynamic(
            onnx_file(folder, int8=False),
            temporary,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )
    return target
