"""The memory of the fake device: which storages are alive, of what category, and their peak."""

import math
import weakref
from collections import Counter

import torch

# torch's allocator hands out multiples of it
_BLOCK = 512


class Allocations:
    """Bytes of the storages that are alive on `device`, by category.

    Since `begin` there are `peak`, its share by category, and the most of each at any time. With a
    `limit` an allocation beyond it raises `torch.OutOfMemoryError`, as the device would.
    """

    def __init__(self, device: str = "cuda", limit: float = math.inf) -> None:
        self.device, self.limit = device, limit
        self.total, self.failures = 0, 0
        self.by_category: Counter[str] = Counter()
        self._alive: dict[int, tuple[int, str, weakref.ref[torch.UntypedStorage]]] = {}
        self.begin()

    def begin(self) -> None:
        """Forget the peak and failures so far."""
        self.failures, self.peak = 0, self.total
        self.peak_by_category, self.most_by_category = +self.by_category, +self.by_category

    def add(self, tensor: torch.Tensor, category: str) -> None:
        """Note the storage of a tensor, if it is on the device and new."""
        if tensor.device.type != self.device or tensor.layout != torch.strided:
            return
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._alive:
            return
        size = -(-storage.nbytes() // _BLOCK) * _BLOCK

        def release(_: object) -> None:
            own, last, _ = self._alive.pop(key)
            self.by_category[last] -= own
            self.total -= own

        self._alive[key] = size, category, weakref.ref(storage, release)
        self.by_category[category] += size
        self.total += size
        if self.total > self.limit:
            self.failures += 1
            raise torch.OutOfMemoryError(f"{size} bytes are more than the fake device has left")
        self._note_most(category)
        if self.total > self.peak:
            self.peak, self.peak_by_category = self.total, +self.by_category

    def move(self, tensor: torch.Tensor, category: str) -> None:
        """Give the storage of a tensor another category, from now on."""
        key = tensor.untyped_storage()._cdata
        if key in self._alive:
            size, before, reference = self._alive[key]
            self._alive[key] = size, category, reference
            self.by_category[before] -= size
            self.by_category[category] += size
            self._note_most(category)

    def _note_most(self, category: str) -> None:
        most = self.most_by_category
        most[category] = max(most[category], self.by_category[category])
