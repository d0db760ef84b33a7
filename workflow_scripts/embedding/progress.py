"""Progress of a long job: a bar on a terminal, lines in a log."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

SECONDS_BETWEEN_LINES = 10.0

Advance = Callable[[int], None]


@contextmanager
def embedding_progress(total: int) -> Iterator[Advance]:
    """Yield a function that is called with each further count of strings done; shows on stderr."""
    if sys.stderr.isatty():
        with tqdm(total=total, unit=" strings", desc="embedded") as bar:
            yield bar.update
        return
    started = last_line = time.monotonic()
    done = 0

    def advance(count: int) -> None:
        nonlocal done, last_line
        done += count
        now = time.monotonic()
        if now - last_line > SECONDS_BETWEEN_LINES or done == total:
            rate = done / max(now - started, 1e-9)
            print(f"embedded {done}/{total} strings, {rate:.0f}/s", file=sys.stderr)
            last_line = now

    yield advance
