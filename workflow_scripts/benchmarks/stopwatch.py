"""Wall-clock and processor seconds of a stretch of code."""

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class LoopTimes:
    """Seconds of the clock on the wall, and of all threads of this process on the processors."""

    seconds: float
    processor_seconds: float


class Stopwatch:
    """Runs from when it is made."""

    def __init__(self) -> None:
        self._started = time.perf_counter(), time.process_time()

    def read(self) -> LoopTimes:
        """Return the times since the start."""
        wall, processor = self._started
        return LoopTimes(time.perf_counter() - wall, time.process_time() - processor)
