"""Wall-clock and processor seconds of a stretch of code."""

import time
from typing import NamedTuple

import torch


class Times(NamedTuple):
    seconds: float
    processor_seconds: float


def now() -> Times:
    """Return the times when what a GPU was given before is done."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
    return Times(time.perf_counter(), time.process_time())


def since(started: Times) -> Times:
    """Return the times since `now` gave `started`."""
    return Times(*(after - before for after, before in zip(now(), started, strict=True)))
