"""Threads of a tuning, each with work of its own on a core of its own."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import torch


class Workers:
    """`count` threads of one core each: sharing matrix products, they would wait for each other.

    Inside the block the asking thread has one core too, for sums hang on how many share them. One
    worker is the asking thread itself, which keeps the threads that torch has.
    """

    def __init__(self, count: int = 1) -> None:
        self.count, self._before = count, torch.get_num_threads()
        self._pool = ThreadPoolExecutor(count, "tune", torch.set_num_threads, (1,))

    def __enter__(self) -> "Workers":
        if self.count > 1:
            torch.set_num_threads(1)
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()
        torch.set_num_threads(self._before)

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Give torch its threads back inside the block."""
        within = torch.get_num_threads()
        torch.set_num_threads(self._before)
        try:
            yield
        finally:
            torch.set_num_threads(within)

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Yield the results in the order of `items`, of which `count` + 1 are there at a time.

        When one fails, the others have come to their end before the error is raised.
        """
        if self.count == 1:
            yield from map(function, items)
            return
        waiting: deque[Future[Any]] = deque()
        try:
            for item in items:
                waiting.append(self._pool.submit(function, item))
                if len(waiting) > self.count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
            wait(waiting)
