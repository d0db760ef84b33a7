"""Running one measurement in a process of its own: its values, seconds and peak memory."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workflow_scripts.errors import UserError

LAST_LINES = 4


@dataclass(frozen=True)
class ChildResult:
    """What a child printed as JSON on its last line, its seconds and its peak memory in bytes."""

    values: dict[str, Any]
    process_seconds: float
    peak_memory: int


def run_child(what: str, arguments: Sequence[str], threads: int) -> ChildResult:
    """Run `python -m` with `arguments` and wait for it.

    Every child has the same environment: `threads` threads in torch, OpenMP and the tokenizers.
    Peak memory is what the kernel counted for this child alone (`os.wait4`). Raises `UserError`
    naming `what`, with the last lines of the child, if it fails or prints no JSON.
    """
    environment = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": str(threads),
        "RAYON_NUM_THREADS": str(threads),
        "TOKENIZERS_PARALLELISM": "true",
    }
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as messages:
        started = time.perf_counter()
        child = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            stdout=output,
            stderr=messages,
            stdin=subprocess.DEVNULL,
            env=environment,
        )
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            raise
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        printed, said = _content(output), _content(messages)
    if child.returncode != 0:
        last = " | ".join((said or printed)[-LAST_LINES:])
        raise UserError(f"{what}: the run failed with exit code {child.returncode}: {last}")
    try:
        values = json.loads(printed[-1])
    except (IndexError, json.JSONDecodeError) as error:
        last = " | ".join(printed[-LAST_LINES:]) or "nothing"
        raise UserError(f"{what}: the run printed no measures but: {last}") from error
    # macOS counts bytes, Linux kibibytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return ChildResult(values, seconds, usage.ru_maxrss * unit)


def _content(stream: Any) -> list[str]:
    stream.seek(0)
    return [line.strip() for line in stream.read().splitlines() if line.strip()]
