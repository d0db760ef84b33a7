"""Counts of what runs on the fake device, operator by operator."""

import sys
from collections import Counter
from functools import cache
from itertools import chain
from types import FrameType
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from tools.gpu_rehearsal.allocations import Allocations
from tools.gpu_rehearsal.cards import CARDS
from tools.gpu_rehearsal.operators import HALVES, bytes_moved, flops_of, launches

# Whose lines are named as places, up to where their path begins.
_PROJECT = ("workflow_scripts/", "tests/")
_LIBRARIES = (
    "transformers/",
    "pytorch_optimizer/",
    "torch/optim/",
    "torch/amp/",
    "torch/nn/utils/",
)
# operators whose result has a size that the host must learn
_SIZED_BY_VALUES = {"masked_select", "_unique2", "unique_consecutive", "unique_dim"}
_INDEXING = ("index", "index_put", "index_put_", "_index_put_impl_")


class OperatorCounts(TorchDispatchMode):
    """Counts operators on `device` within the block, inside of a FakeTensorMode or not.

    `counts` since `begin`: `operators` by name, of which `launches` start that many kernels,
    `flops`, bytes `moved`, `copied` by direction (host to device, device to host), and
    `synchronisations`, each time the host waits for the device, by place in the code. `bounds` are
    the sums of `Card.least_seconds` by card.
    """

    def __init__(self, allocations: Allocations, device: str = "cuda") -> None:
        super().__init__()
        self.allocations, self._device = allocations, device
        self._weights: set[int] = set()
        self.begin()

    def begin(self) -> None:
        """Count from zero."""
        self.operators: Counter[str] = Counter()
        self.synchronisations: Counter[tuple[str, str]] = Counter()
        self.copied: Counter[str] = Counter()
        self.bounds: Counter[str] = Counter()
        self.launches = self.flops = self.moved = 0
        self.allocations.begin()

    def adopt(self, trained: torch.nn.Module) -> None:
        """Take parameters, buffers and from now on gradients of a module for what they are."""

        def accumulated(parameter: torch.Tensor) -> None:
            if parameter.grad is not None and not parameter.grad.is_sparse:
                self.allocations.move(parameter.grad, "gradients")

        for tensor in (*trained.parameters(), *trained.buffers()):
            self.allocations.add(tensor, "weights")
            self.allocations.move(tensor, "weights")
            self._weights.add(tensor.untyped_storage()._cdata)
            if tensor.requires_grad:
                tensor.register_post_accumulate_grad_hook(accumulated)

    def adopt_gradients(self, optimiser: torch.optim.Optimizer, *_: Any) -> None:
        """Take the gradients that an optimiser is about to use for what they are, as its hook."""
        for group in optimiser.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self.allocations.move(parameter.grad, "gradients")

    def adopt_state(self, optimiser: torch.optim.Optimizer) -> None:
        """Take the state of an optimiser for what it is."""
        for state in optimiser.state.values():
            for value in filter(torch.is_tensor, state.values()):
                self.allocations.move(value, "optimiser state")

    def _leaves_host(self, tensors: list[torch.Tensor], options: dict[str, Any]) -> bool:
        """Whether an operator on tensors of the host has none of their values, or a device's."""
        device = options.get("device")
        is_moved = device is not None and torch.device(device).type == self._device
        return is_moved or any(isinstance(tensor, FakeTensor) for tensor in tensors)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        options = kwargs or {}
        if func.namespace == "prim":
            return func(*args, **options)
        if torch.is_inference_mode_enabled():
            # operators made of others arrive whole there
            with self:
                result = func.decompose(*args, **options)
            if result is not NotImplemented:
                return result
        name = func._schema.name.split("::")[1]
        tensors = _tensors((args, options))
        on_device = any(tensor.device.type == self._device for tensor in tensors)
        place = _place()
        if name in ("is_pinned", "_pin_memory"):
            return name == "is_pinned" or args[0]
        if on_device:
            if name == "_local_scalar_dense":
                self._synchronise("a value is read", place)
                # one without content is taken for zero, which is finite
                if isinstance(args[0], FakeTensor):
                    return _zero(args[0].dtype)
            if name in _SIZED_BY_VALUES or name == "nonzero":
                self._synchronise(f"size of {name}", place)
            if name == "nonzero":
                # as if all were true
                sizes = (args[0].numel(), args[0].dim())
                return torch.zeros(sizes, dtype=torch.long, device=args[0].device)
            if name in _INDEXING and args[0].device.type == self._device:
                indices = (self._indices(index, args[0].device, place) for index in args[1])
                args = (args[0], list(chain.from_iterable(indices)), *args[2:])
        if name in ("_to_copy", "copy_") and self._crosses(name, args, options, place):
            result = torch.empty_like(args[0], device="cpu", dtype=options.get("dtype"))
            with unset_fake_temporarily():
                return torch.zeros(result.shape, dtype=result.dtype)
        if tensors and not on_device and not self._leaves_host(tensors, options):
            # values of the host stay what they are
            with unset_fake_temporarily():
                return func(*args, **options)
        result = func(*args, **options)
        results = _tensors(result)
        if on_device or any(tensor.device.type == self._device for tensor in results):
            self._count(func, name, args, options, tensors, result, results)
            category = self._category(name, tensors, place)
            for tensor in results:
                self.allocations.add(tensor, category)
        return result

    def _count(
        self,
        function: Any,
        name: str,
        arguments: Any,
        options: dict[str, Any],
        tensors: list[torch.Tensor],
        result: Any,
        results: list[torch.Tensor],
    ) -> None:
        self.operators[name] += 1
        kernels = launches(function, arguments)
        if not kernels:
            return
        flops = flops_of(function, arguments, options, result)
        moved = bytes_moved(name, arguments, options, tensors, results)
        self.launches += kernels
        self.flops += flops
        self.moved += moved
        is_half = any(tensor.dtype in HALVES for tensor in tensors)
        for card in CARDS:
            self.bounds[card.name] += card.least_seconds(flops, moved, is_half)

    def _category(self, name: str, tensors: list[torch.Tensor], place: str) -> str:
        """Return what the memory of a result is for."""
        is_weight = name == "_to_copy" and tensors[0].untyped_storage()._cdata in self._weights
        if is_weight or "half_weights" in place:
            return "weights in 16 bits"
        if torch._C._current_graph_task_id() != -1:
            return "backward"
        for part, category in (("optim", "optimiser at work"), ("dropout", "dropout, attention")):
            if part in place:
                return category
        return "output layer" if "output_layer" in place else "activations"

    def _indices(
        self, index: torch.Tensor | None, device: torch.device, place: str
    ) -> list[torch.Tensor | None]:
        """Return an index as positions on the device, which is what indexing makes of it."""
        if index is not None and index.dtype in (torch.bool, torch.uint8):
            self._synchronise("boolean index", place)
            positions = torch.zeros(index.numel(), dtype=torch.long, device=device)
            return [positions] * index.dim()
        if index is not None and index.dim() and index.device.type == "cpu":
            self._synchronise("index from the host", place)
            return [torch.zeros(index.shape, dtype=index.dtype, device=device)]
        return [index]

    def _crosses(self, name: str, arguments: Any, options: dict[str, Any], place: str) -> bool:
        """Count a copy between host and device; return whether the host gets a new tensor."""
        source, target = arguments[0], torch.device(options.get("device") or arguments[0].device)
        waits = not options.get("non_blocking")
        if name == "copy_":
            source, target = arguments[1], arguments[0].device
            waits = not (arguments[2] if len(arguments) > 2 else options.get("non_blocking"))
        if {source.device.type, target.type} != {"cpu", self._device}:
            return False
        to_host = target.type == "cpu"
        direction = "device to host" if to_host else "host to device"
        self.copied[direction] += source.numel() * source.element_size()
        if waits:
            self._synchronise(f"copy, {direction}", place)
        return to_host and name == "_to_copy"

    def _synchronise(self, what: str, place: str) -> None:
        self.synchronisations[place, what] += 1


def _tensors(tree: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def _zero(dtype: torch.dtype) -> bool | int | float:
    if dtype == torch.bool:
        return False
    return 0.0 if dtype.is_floating_point else 0


def _place() -> str:
    """Return file and line of the innermost frame of the project or of a library of models.

    A line of a library is followed by that of the project that it is called from.
    """
    frame: FrameType | None = sys._getframe(2)
    inner = ""
    while frame is not None:
        name, is_own = _short_name(frame.f_code.co_filename)
        if name and is_own:
            return f"{inner}, from {name}:{frame.f_lineno}" if inner else f"{name}:{frame.f_lineno}"
        if name and not inner:
            inner = f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return inner or "elsewhere"


@cache
def _short_name(file: str) -> tuple[str, bool]:
    """Return how a source file is called, "" for one that is not named, and if it is our own."""
    is_own = "/site-packages/" not in file and any(f"/{part}" in file for part in _PROJECT)
    parts = _PROJECT if is_own else _LIBRARIES
    start = max(file.rfind(f"/{part}") for part in parts) + 1
    return file[start:].removeprefix("workflow_scripts/") if start else "", is_own
