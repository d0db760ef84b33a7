"""Running one measurement in a process of its own: its values, seconds and peak memory."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

from workflow_scripts.errors import UserError

# A process that is always busy; it ends with who started it, however that ends.
BUSY = [sys.executable, "-c", "import os\np = os.getppid()\nwhile os.getppid() == p: pass"]


def words_of(options: Mapping[str, object]) -> list[object]:
    """Return the words of options: `--max-length 25` for {"max_length": 25}."""
    named = ((f"--{key.replace('_', '-')}", value) for key, value in options.items())
    return [word for pair in named for word in pair]


def run_module(
    what: str, module: str, arguments: Sequence[object], threads: int
) -> tuple[list[str], dict[str, float]]:
    """Run `python -m module`; return the lines that it printed, its seconds and its peak memory.

    The seconds are those of the clock, and those used of the processor. Memory (bytes) is never
    less than what this process takes: commands that measure import no torch. Raises `UserError` of
    `what`, with the last lines of the child, if it fails.
    """
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true"}
    # threads that wait for each other do not spin for long, as in the project's own commands
    environment.setdefault("GOMP_SPINCOUNT", "2000")
    environment |= dict.fromkeys(("OMP_NUM_THREADS", "RAYON_NUM_THREADS"), str(threads))
    command = [sys.executable, "-m", module, *map(str, arguments)]
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as messages:
        started = time.perf_counter()
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": messages}
        child = subprocess.Popen(command, **streams, env=environment)
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            raise
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for stream in (output, messages):
            stream.seek(0)
            texts.append([line.strip() for line in stream if line.strip()])
    printed, said = texts
    if child.returncode != 0:
        last = " | ".join((said or printed)[-4:])
        problem = f"the run failed with exit code {child.returncode}: {last}"
        raise UserError(what, problem, "fix that and run it again")
    # macOS counts bytes, Linux kibibytes.
    peak_memory = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    measures = {"process_seconds": seconds, "used_seconds": usage.ru_utime + usage.ru_stime}
    return printed, measures | {"peak_memory": peak_memory}


def run_job(what: str, job: Mapping[str, Any], shown: str) -> dict[str, Any]:
    """Return the measures of a job of `timed_run` and of its process; tell the one of `shown`."""
    module, arguments = "benchmarks.timed_run", [json.dumps(job, default=str)]
    others = [subprocess.Popen(BUSY) for _ in range(job.get("busy", 0))]
    try:
        printed, measures = run_module(what, module, arguments, job["threads"])
    finally:
        for other in others:
            other.kill()
            other.wait()
    measures |= json.loads(printed[-1])
    peak = measures["peak_memory"]
    measures["memory_growth"] = max(peak - measures["memory_before"], 0)
    told = f"{measures[shown]:.4g} {shown.replace('_', ' ')}, {peak / 2**20:.0f} MiB"
    print(f"{what}: {told}", file=sys.stderr, flush=True)
    return measures
