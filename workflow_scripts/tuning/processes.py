"""One tuning over several processes, a device each, started by `accelerate launch`; its threads.

Each process encodes its share of a batch; vectors and gradients are summed over all of them, so
that every process takes the same step, which is the step of a single process.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from workflow_scripts.embedding.one_ahead import results_in_order

# Bytes of gradients that are summed over the processes at a time: few messages, little memory.
_BUCKET = 2**26


class Processes:
    """The processes of this run; `number` of `count`. Without a launcher there is one."""

    def __init__(self) -> None:
        self.number, self.count = 0, 1
        self._state = None
        # of each parameter, whether any process has a gradient
        self._used: list[bool] | None = None
        if int(os.environ.get("WORLD_SIZE", "1")) > 1:
            # Only now: accelerate takes a second to import.
            from accelerate import PartialState

            self._state = PartialState(cpu=not torch.cuda.is_available())
            self.number, self.count = self._state.process_index, self._state.num_processes

    @property
    def is_first(self) -> bool:
        return self.number == 0

    def device(self, requested: torch.device) -> torch.device:
        """Return the device of this process where `requested` is a kind of device."""
        return requested if self._state is None or requested.type == "cpu" else self._state.device

    def sum(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the sum of a tensor over the processes, the same in each of them."""
        if self._state is None:
            return tensor
        from accelerate.utils import reduce

        return reduce(tensor, reduction="sum")

    def sum_gradients(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Replace gradients by their sums; a parameter without one in any process has none.

        Which have one is agreed upon in the first step, so that no other step waits for the device;
        raises `RuntimeError` if another one has later.
        """
        if self._state is None:
            return
        parameters = list(parameters)
        own = [parameter.grad is not None for parameter in parameters]
        if self._used is None:
            counts = self.sum(torch.tensor(own, dtype=torch.float32, device=parameters[0].device))
            self._used = [count > 0 for count in counts.tolist()]
        gradients: list[torch.Tensor] = []
        for parameter, used in zip(parameters, self._used, strict=True):
            if parameter.grad is not None and not used:
                raise RuntimeError("a parameter has a gradient that had none in the first step")
            if used:
                if parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)
                gradients.append(parameter.grad)
        for bucket in _buckets(gradients):
            joined = self.sum(torch.cat([gradient.flatten() for gradient in bucket]))
            parts = joined.split([gradient.numel() for gradient in bucket])
            shaped = [part.view_as(own) for part, own in zip(parts, bucket, strict=True)]
            torch._foreach_copy_(bucket, shaped)

    def any(self, happened: bool, device: torch.device) -> bool:
        """Return whether it happened in any process."""
        if self._state is None:
            return happened
        return bool(self.sum(torch.tensor(float(happened), device=device)))

    def wait(self) -> None:
        if self._state is not None:
            self._state.wait_for_everyone()


def _buckets(gradients: Iterable[torch.Tensor]) -> Iterator[list[torch.Tensor]]:
    """Yield tensors of one type together, at most `_BUCKET` bytes unless it is a single one."""
    by_type: dict[torch.dtype, list[torch.Tensor]] = {}
    for gradient in gradients:
        bucket = by_type.setdefault(gradient.dtype, [])
        if bucket and sum(own.nbytes for own in bucket) + gradient.nbytes > _BUCKET:
            yield bucket
            bucket = by_type[gradient.dtype] = []
        bucket.append(gradient)
    yield from by_type.values()


class Workers(ThreadPoolExecutor):
    """`count` threads of one core each: sharing matrix products, they would wait for each other.

    One worker is the asking thread itself.
    """

    def __init__(self, count: int = 1) -> None:
        super().__init__(count, "tune", torch.set_num_threads, (1,))
        self.count = count

    def in_order(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Yield the results in the order of `items`, of which `count` + 1 are there at a time.

        When one fails, the others have come to their end before the error is raised.
        """
        if self.count == 1:
            yield from map(function, items)
            return
        yield from results_in_order(self, function, items, self.count)
