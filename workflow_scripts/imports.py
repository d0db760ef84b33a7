"""Quicker imports of large packages, and the threads that they start."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from workflow_scripts.errors import UserError

Device = Literal["cpu", "cuda", "auto"]
# where the system refuses more, OpenMP ends the process
_MOST_THREADS = 1024


@contextmanager
def quick_imports() -> Iterator[None]:
    """Keep the garbage collector off while torch and transformers are imported.

    Each collection goes through the objects of all modules so far, and an import makes nothing but
    objects that stay: a quarter of the time of a command's start. They are left out of later
    collections too.
    """
    calm_threads()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_enabled:
            gc.enable()


def calm_threads() -> None:
    """Let OpenMP's threads give up the processor soon while they wait, unless the user says how.

    They would spin, and keep the processor from the very process that they wait for. It is read
    as torch is imported. 2,000 rounds cost nothing on an idle machine.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "2000")


def check_threads(count: int) -> None:
    """Raise `UserError` for a number of threads that no machine gives to a command."""
    if not 1 <= count <= _MOST_THREADS:
        raise UserError(f"--threads {count}", f"give 1 or more, {_MOST_THREADS} at most", None)


def default_threads() -> int:
    """Return the threads of a command that is not told: OMP_NUM_THREADS, else all processors."""
    # a list is of nested parallel regions, the first of which counts here
    threads = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(threads) if threads.isdecimal() and int(threads) else os.cpu_count() or 1


@dataclass(frozen=True)
class MachineOptions:
    """What a command runs on.

    Args:
        threads: default: OMP_NUM_THREADS, else all processors
        device: default: CUDA where there is a device
    """

    threads: int = field(default_factory=default_threads)
    device: Device = "auto"
