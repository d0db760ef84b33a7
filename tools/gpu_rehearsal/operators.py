"""What an operator costs at least: launches, arithmetic, memory traffic."""

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.flop_counter import flop_registry

HALVES = (torch.float16, torch.bfloat16)
# operators that start nothing on a device
_NO_LAUNCH = {
    *("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_"),
    *("detach", "alias", "lift", "lift_fresh", "set_", "_unsafe_view", "_reshape_alias"),
    *("_local_scalar_dense", "is_same_size", "record_stream", "_pin_memory", "is_pinned"),
}
# ATen/native/cuda/MultiTensorApply.cuh with CUDA 13: tensors and blocks of 65,536 elements in one
# launch of an operator over lists; fewer with older ones
_MOST_TENSORS, _MOST_BLOCKS, _BLOCK_ELEMENTS = 252, 2240, 65536
_OVER_LISTS = ("_foreach", "_fused", "_amp_foreach")
# those that read nothing
_FILLS = {
    *("zeros", "zeros_like", "new_zeros", "zero_", "ones", "ones_like", "new_ones", "fill_", "eye"),
    *("full", "full_like", "new_full", "arange", "random_", "normal_", "uniform_", "bernoulli_"),
}
# those that read some rows of their first argument
_GATHERS = {"embedding", "index_select", "index", "gather"}
# those that change some rows of it
_SCATTERS = {"index_add_", "scatter_add_", "scatter_add", "index_copy_", "index_put_"}


def launches(function: torch._ops.OpOverload, arguments: Sequence[Any]) -> int:
    """Return how many kernels an operator starts at least: one, unless it is a view or the like."""
    name = function._schema.name.split("::")[1]
    if function.is_view or name in _NO_LAUNCH:
        return 0
    if name.startswith(_OVER_LISTS):
        tensors = arguments[0]
        # ATen/native/ForeachUtils.h: operators but the copy go through lists of several types one
        # tensor after another
        several = len({tensor.dtype for _, tensor in _listed(arguments)}) > 1
        if several and name.startswith("_foreach") and name != "_foreach_copy_":
            return len(tensors)
        blocks = sum(-(-tensor.numel() // _BLOCK_ELEMENTS) for tensor in tensors)
        return max(-(-len(tensors) // _MOST_TENSORS), -(-blocks // _MOST_BLOCKS), 1)
    return 1


def flops_of(
    function: torch._ops.OpOverload, arguments: Any, options: dict[str, Any], result: Any
) -> int:
    """Return the floating-point operations of products and attention, 0 for what is of one pass."""
    # of an operator in place those of the other, which torch's table does not have
    name = function._schema.name.split("::")[1].removesuffix("_")
    packet = getattr(torch.ops.aten, name, function._overloadpacket)
    formula = flop_registry.get(packet)
    return 0 if formula is None else formula(*arguments, **options, out_val=result)


def bytes_moved(
    name: str,
    arguments: Sequence[Any],
    options: dict[str, Any],
    tensors: list[torch.Tensor],
    results: list[torch.Tensor],
) -> int:
    """Return the bytes that a kernel reads and writes at least: inputs and results, each once."""
    written = sum(map(_bytes, results))
    if name in _FILLS:
        return written
    if name == "copy_":
        return _bytes(arguments[0]) + _bytes(arguments[1])
    if name == "_foreach_copy_":
        return sum(map(_bytes, tensors))
    if name in _GATHERS:
        return 2 * written + sum(map(_bytes, tensors[1:]))
    if name in _SCATTERS:
        # read, added and written
        return 3 * _bytes(tensors[-1])
    if name.startswith("_fused"):
        # gradients, the second list, are only read, unless they are unscaled too
        # (ATen/native/cuda/fused_adam_utils.cuh)
        of_gradients = 1 if options.get("grad_scale") is None else 2
        listed = _listed(arguments)
        return sum(_bytes(tensor) * (of_gradients if i == 1 else 2) for i, tensor in listed)
    if name.startswith(_OVER_LISTS) and name.endswith("_") and not results:
        written = sum(map(_bytes, arguments[0]))
    return sum(map(_bytes, tensors)) + written


def _listed(arguments: Sequence[Any]) -> list[tuple[int, torch.Tensor]]:
    """Return the tensors in lists of tensors, with the number of their list."""
    lists = [argument for argument in arguments if isinstance(argument, list | tuple)]
    return [(number, tensor) for number, tensors in enumerate(lists) for tensor in tensors]


def _bytes(tensor: torch.Tensor) -> int:
    """Return the bytes that a tensor has of its own: expanded dimensions count once."""
    elements = 1
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        elements *= size if stride else 1
    return elements * tensor.element_size()
