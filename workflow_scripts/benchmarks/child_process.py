"""Running one measurement in a process of its own: its values, seconds and peak memory."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TextIO

from workflow_scripts.errors import UserError

LAST_LINES = 4


@dataclass(frozen=True)
class FinishedRun:
    """What a command printed, line by line, its seconds and its peak memory in bytes."""

    printed: list[str]
    seconds: float
    peak_memory: int


def as_arguments(options: Mapping[str, object]) -> list[str]:
    """Return the arguments of {option: value}: a list repeats its option, True is a bare flag."""
    arguments = []
    for option, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            arguments += [option] if one is True else [option, str(one)]
    return arguments


def run_module(what: str, module: str, options: Mapping[str, object], threads: int) -> FinishedRun:
    """Run `python -m module` with the arguments of {option: value} and wait for it.

    Every child has the same environment: `threads` threads in torch, OpenMP and the tokenizers,
    and no network. Peak memory is what the kernel counted for this child alone (`os.wait4`), but
    never less than what this process takes, which is why commands that measure import no torch.
    Raises `UserError` naming `what`, with the last lines of the child, if it fails.
    """
    command = [sys.executable, "-m", module, *as_arguments(options)]
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
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=messages, env=environment
        )
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            raise
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        printed, said = _lines(output), _lines(messages)
    if child.returncode != 0:
        last = " | ".join((said or printed)[-LAST_LINES:])
        raise UserError(f"{what}: the run failed with exit code {child.returncode}: {last}")
    # macOS counts bytes, Linux kibibytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return FinishedRun(printed, seconds, usage.ru_maxrss * unit)


def measure_module(
    what: str, module: str, options: Mapping[str, object], threads: int
) -> dict[str, Any]:
    """Return the measures that `python -m module` prints as JSON on its last line, and its own.

    Its own are `process_seconds`, `peak_memory` in bytes and, where the module says what it took
    before its loop (`memory_before`), `memory_growth`. Raises `UserError` as `run_module` does,
    and where there is no JSON.
    """
    run = run_module(what, module, options, threads)
    try:
        measures: dict[str, Any] = json.loads(run.printed[-1])
    except (IndexError, json.JSONDecodeError) as error:
        last = " | ".join(run.printed[-LAST_LINES:]) or "nothing"
        raise UserError(f"{what}: the run printed no measures but: {last}") from error
    measures |= {"process_seconds": run.seconds, "peak_memory": run.peak_memory}
    if "memory_before" in measures:
        measures["memory_growth"] = max(run.peak_memory - measures["memory_before"], 0)
    return measures


def _lines(stream: TextIO) -> list[str]:
    stream.seek(0)
    return [line.strip() for line in stream.read().splitlines() if line.strip()]
