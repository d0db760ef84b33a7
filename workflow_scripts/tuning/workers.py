"""Threads of a tuning, each with work of its own on a core of its own."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import torch


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
        waiting: deque[Future[Any]] = deque()
        try:
            for item in items:
                waiting.append(self.submit(function, item))
                if len(waiting) > self.count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
            wait(waiting)
