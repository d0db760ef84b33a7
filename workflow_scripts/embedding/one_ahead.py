"""Work that is done while the one before is still in use, and results that a GPU still copies."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


def one_ahead(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield the result of each item in order; a thread makes the next while the caller has one.

    An error of the function is raised where its result is taken. Who stops early waits for the item
    in work.
    """
    with ThreadPoolExecutor(1, "ahead") as pool:
        yield from results_in_order(pool, function, items, 1)


def results_in_order(
    pool: Executor, function: Callable[[Item], Result], items: Iterable[Item], ahead: int
) -> Iterator[Result]:
    """Yield the result of each item in order; a pool has up to `ahead` more in work or done.

    When one fails, the others have come to their end before the error is raised.
    """
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        wait(waiting)


def pinned(tensors: Iterable[torch.Tensor], device: torch.device) -> tuple[torch.Tensor, ...]:
    """Return tensors whose copy to the device nothing waits for."""
    return tuple(own.pin_memory() if device.type == "cuda" else own for own in tensors)


class Arrivals:
    """Float32 rows [rows, width] on their way from a device to this machine's memory."""

    def __init__(self, rows: int, width: int, device: torch.device) -> None:
        self._is_cuda = device.type == "cuda"
        # copies into other memory are waited for at once
        self._host = torch.empty((rows, width), pin_memory=self._is_cuda)
        self._row = 0
        self._event = torch.cuda.Event() if self._is_cuda else None

    def add(self, rows: torch.Tensor) -> None:
        """Start the copy of the next rows, of any floating-point type."""
        end = self._row + len(rows)
        self._host[self._row : end].copy_(rows.float(), non_blocking=True)
        self._row = end
        if self._event is not None:
            self._event.record()

    def wait(self) -> torch.Tensor:
        """Return all rows that were added, when they have arrived."""
        if self._event is not None:
            self._event.synchronize()
        return self._host
