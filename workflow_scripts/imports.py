"""Quicker imports of large packages."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quick_imports() -> Iterator[None]:
    """Keep the garbage collector off while torch and transformers are imported.

    Each collection goes through the objects of all modules so far, and an import makes nothing but
    objects that stay: a quarter of the time of a command's start. They are left out of later
    collections too.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_enabled:
            gc.enable()
