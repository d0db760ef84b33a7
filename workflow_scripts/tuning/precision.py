"""The precision of the forward passes; weights, loss and optimiser are float32 in all of them."""

import sys
from contextlib import AbstractContextManager, nullcontext

import torch

from workflow_scripts.embedding.torch_setup import has_bfloat16


def settle_precision(name: str, device: torch.device) -> torch.dtype:
    """Return the type of a recipe's `precision` on a device.

    `auto` is mixed precision on a GPU (bfloat16 where it has that, else float16) and float32
    elsewhere. Warns on stderr of bfloat16 or float16 on a processor that only emulates it.
    """
    if name == "auto":
        if device.type != "cuda":
            return torch.float32
        return torch.bfloat16 if has_bfloat16(device) else torch.float16
    dtype = getattr(torch, name)
    native = dtype == torch.float32 or device.type != "cpu"
    if not native and (dtype == torch.float16 or not has_bfloat16(device)):
        print(f"warning: this processor emulates {name}: slower than float32", file=sys.stderr)
    return dtype


def autocast(dtype: torch.dtype, device: torch.device) -> AbstractContextManager:
    """Return the context of forward passes in `dtype`."""
    if dtype == torch.float32:
        return nullcontext()
    return torch.autocast(device.type, dtype=dtype)
