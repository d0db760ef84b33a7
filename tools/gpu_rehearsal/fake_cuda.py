"""The Python side of the fake device: what a CPU build of torch lacks, for the time of a block.

To be imported after `load_fake_device`.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.overrides import TorchFunctionMode

from tools.gpu_rehearsal.allocations import Allocations
from tools.gpu_rehearsal.operators import HALVES
from workflow_scripts.embedding import string_encoding

_ATTENTION = torch.nn.functional.scaled_dot_product_attention


class _Generator(torch.Generator):
    """A generator of the host that says it is the device's: nothing is drawn from it."""

    def __new__(cls, device: Any = "cpu") -> "_Generator":
        generator = super().__new__(cls, "cpu")
        generator._shown = torch.device(device)
        return generator

    def __init__(self, device: Any = "cpu") -> None:
        pass

    @property
    def device(self) -> torch.device:
        return self._shown


class _CudaAttention(TorchFunctionMode):
    """Gives attention the kernels that a CUDA build would take; a CPU build writes it out."""

    def __init__(self, has_flash: bool) -> None:
        super().__init__()
        self._has_flash = has_flash

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        options = kwargs or {}
        if func is not _ATTENTION or args[0].device.type != "cuda":
            return func(*args, **options)
        return self._attend(*args, **options)

    def _attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: torch.Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> torch.Tensor:
        needs_gradient = torch.is_grad_enabled() and query.requires_grad
        # autocast knows the function, not its kernels
        if torch.is_autocast_enabled("cuda"):
            half = torch.get_autocast_dtype("cuda")
            query, key, value = (tensor.to(half) for tensor in (query, key, value))
        if attn_mask is None and self._has_flash and query.dtype in HALVES:
            flash = torch.ops.aten._scaled_dot_product_flash_attention
            return flash(query, key, value, dropout_p, is_causal, False, scale=scale)[0]
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                bias = torch.zeros_like(attn_mask, dtype=query.dtype)
                attn_mask = bias.masked_fill(~attn_mask, -math.inf)
            attn_mask = attn_mask.expand(*query.shape[:-1], key.shape[-2])
        efficient = torch.ops.aten._scaled_dot_product_efficient_attention
        options = (attn_mask, needs_gradient, dropout_p, is_causal)
        return efficient(query, key, value, *options, scale=scale)[0]


def _apply(module: torch.nn.Module, function: Any, recurse: bool = True) -> torch.nn.Module:
    """Move a module as torch does, but with new parameters.

    torch swaps fake parameters, which it refuses for those that weak references know.
    """
    for child in module.children() if recurse else ():
        child._apply(function)
    for table in (module._parameters, module._buffers):
        for name, tensor in table.items():
            if tensor is None:
                continue
            with torch.no_grad():
                moved = function(tensor)
            if moved is not tensor:
                is_parameter = isinstance(tensor, torch.nn.Parameter)
                table[name] = (
                    torch.nn.Parameter(moved, tensor.requires_grad) if is_parameter else moved
                )
    return module


class _Event:
    """An event of CUDA that has happened when it is recorded."""

    def record(self) -> None: ...

    def synchronize(self) -> None: ...


def _in_turn(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """Yield the result of each item: batches of the host, whose values count, in this thread."""
    for item in items:
        with unset_fake_temporarily():
            result = function(item)
        yield result


def _zeros(tensor: torch.Tensor) -> np.ndarray:
    """Return what stands for the values of a fake tensor of the host."""
    return np.zeros(tensor.shape, dtype=np.float32)


@contextmanager
def fake_cuda(allocations: Allocations, bfloat16: bool = True) -> Iterator[None]:
    """Let tensors be fake, CUDA a device of theirs with the limit of `allocations`.

    `bfloat16` says whether the card multiplies in it: if so, it has fused attention without a mask
    too (both began with Ampere).
    """

    def free_memory(device: Any = None) -> tuple[float, float]:
        return allocations.limit - allocations.total, allocations.limit

    with ExitStack() as stack:
        for target, name, value in (
            (torch, "Generator", _Generator),
            (torch.nn.Module, "_apply", _apply),
            (torch.cuda, "is_bf16_supported", lambda *_, **__: bfloat16),
            (torch.cuda, "mem_get_info", free_memory),
            (torch.cuda, "memory_reserved", lambda device=None: allocations.total),
            (torch.cuda, "memory_allocated", lambda device=None: allocations.total),
            (torch.cuda, "Event", _Event),
            (torch.cuda.amp.common, "amp_definitely_not_available", lambda: False),
            (string_encoding, "one_ahead", _in_turn),
        ):
            stack.enter_context(patch.object(target, name, value))
        stack.enter_context(patch.object(FakeTensor, "numpy", _zeros, create=True))
        # it would hide from itself that it reads a mask's values
        stack.enter_context(
            patch("transformers.utils.import_utils.is_fake_tensor", lambda _: False)
        )
        # modes belong to a thread
        stack.enter_context(torch.autograd.set_multithreading_enabled(False))
        stack.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
        stack.enter_context(_CudaAttention(has_flash=bfloat16))
        yield
