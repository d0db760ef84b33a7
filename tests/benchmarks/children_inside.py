"""What benchmarks run as child processes, run inside the test's own process."""

import contextlib
import importlib
import io
import json
from collections.abc import Mapping
from typing import Any

from workflow_scripts.benchmarks.child_process import as_arguments


def run_inside(what: str, module: str, options: Mapping[str, object], threads: int) -> str:
    """Run the main of a module and return what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        importlib.import_module(module).main(as_arguments(options))
    return printed.getvalue()


def measure_inside(
    what: str, module: str, options: Mapping[str, object], threads: int
) -> dict[str, Any]:
    """As `measure_module`, with made-up memory, in this process: imports take seconds."""
    measures = json.loads(run_inside(what, module, options, threads).splitlines()[-1])
    return {**measures, "process_seconds": 1.0, "peak_memory": 2**20, "memory_growth": 2**19}
