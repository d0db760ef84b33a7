"""Where randomness in a pass comes from: masks of dropout and drophead.

A generator is seeded for each pass, so that the same pass again (the gradient cache) has the same
masks, and two micro-batches given one number share theirs (controlled dropout). On a processor a
part of a micro-batch takes its rows of the masks of the whole, so that masks do not depend on how
much memory there is. On a GPU they come from the device's own generator, which torch's dropout and
its fused attention take: they depend on the card, and smaller parts have others.
"""

import hashlib
import math

import torch
from torch.nn import functional

_STEPS = 1 << 16


class DropoutMasks:
    """The masks of a pass, drawn in the order in which the model asks for them."""

    def __init__(self, seed: int, device: torch.device | str) -> None:
        self._seed = seed
        self._generator = torch.Generator(device)
        self._start, self._stop, self._rows = 0, 1, 1

    def start(self, step: int, number: int, start: int, stop: int, rows: int) -> None:
        """Begin a forward pass over rows [start, stop) of the `rows` of micro-batch `number`."""
        self._generator.manual_seed(_seed_of(self._seed, step, number))
        self._start, self._stop, self._rows = start, stop, rows

    def draw(self, shape: torch.Size, rate: float, dtype: torch.dtype) -> torch.Tensor:
        """Return a mask of `shape`: 0 with probability `rate`, else 1 / (1 - rate), in float32 at
        least.

        The first dimension holds the rows of the part, or a multiple of them (all heads of a row
        side by side). The rate is rounded to 1/65536, for sixteen random bits are quickly drawn.
        """
        copies = shape[0] // (self._stop - self._start)
        whole = (self._rows * copies, *shape[1:])
        mask = self._bits(whole)[self._start * copies : self._stop * copies]
        return _as_mask(mask, rate, dtype)

    def draw_shared(self, shape: torch.Size, rate: float, dtype: torch.dtype) -> torch.Tensor:
        """Return a mask of `shape` that all rows of the micro-batch share."""
        return _as_mask(self._bits(tuple(shape)), rate, dtype)

    def _bits(self, shape: tuple[int, ...]) -> torch.Tensor:
        elements = math.prod(shape)
        words = torch.empty(-(-elements // 4), dtype=torch.int64, device=self._generator.device)
        words.random_(-(2**63), None, generator=self._generator)
        return words.view(torch.int16)[:elements].view(shape)


class DeviceMasks:
    """Seeds the device's own generator; draws from it the masks that torch's dropout does not."""

    def __init__(self, seed: int, device: torch.device) -> None:
        self._seed, self._device = seed, device

    def start(self, step: int, number: int, start: int, stop: int, rows: int) -> None:
        """Begin a forward pass over rows [start, stop) of micro-batch `number`."""
        seed = _seed_of(self._seed, step, number, start)
        if self._device.type == "cuda":
            torch.cuda.manual_seed(seed)
        else:
            torch.default_generator.manual_seed(seed)

    def draw(self, shape: torch.Size, rate: float, dtype: torch.dtype) -> torch.Tensor:
        """Return a mask of `shape`: 0 with probability `rate`, else 1 / (1 - rate)."""
        return functional.dropout(torch.ones(shape, dtype=dtype, device=self._device), rate)


Masks = DropoutMasks | DeviceMasks


def _seed_of(*parts: int) -> int:
    words = " ".join(map(str, parts))
    return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=8).digest()) >> 1


def _as_mask(bits: torch.Tensor, rate: float, dtype: torch.dtype) -> torch.Tensor:
    dropped = min(round(rate * _STEPS), _STEPS - 1)
    # rounded to half precision, the factor would make every dropout shrink what it keeps
    exact = torch.promote_types(dtype, torch.float32)
    return bits.ge_(dropped - _STEPS // 2).to(exact).mul_(_STEPS / (_STEPS - dropped))
