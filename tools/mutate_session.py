"""The pytest plugin of `make mutate`: a forked child for each mutant, from one warm collection.

The environment variable MUTATE names a file with `mutants` (their names), `seconds` (processor
time of the tests that a mutant is given) and `output`. A child has the modules and tests of its
parent in memory, so that a mutant costs no more than the tests that reach its function.
"""

import contextlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import Phase, settings
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state
from mutmut.utils.format_utils import mangled_name_from_mutant_name

MEMORY = 8 << 30
# a child gives back what it measured in a file, and one of these
PASSED, FAILED = 0, 1


def pytest_configure() -> None:
    # a failing example is a kill: nobody reads the smallest one
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    settings.register_profile("mutate", phases=phases, deadline=None, derandomize=True)
    settings.load_profile("mutate")


def pytest_runtestloop(session: Any) -> bool:
    """Measure the tests on the code as it is, then run those of each mutant until one fails."""
    order = json.loads(Path(os.environ["MUTATE"]).read_text())
    output = Path(order["output"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measured = folder / "measured.json"
        _in_child(lambda: _measure(session, measured), folder, 3600)
        tests = json.loads(measured.read_text())
        results = {"failing": [name for name, test in tests.items() if not test["passed"]]}
        results["mutants"] = {}
        for number, mutant in enumerate(order["mutants"], 1):
            items = _items_of(mutant, session.items, tests, order["seconds"])
            results["mutants"][mutant] = _try_mutant(session, mutant, items, tests, folder)
            output.write_text(json.dumps(results, indent=1))
            outcome = results["mutants"][mutant]["outcome"]
            print(f"{number}/{len(order['mutants'])} {outcome} {mutant}", file=sys.__stderr__)
    return True


def _measure(session: Any, output: Path) -> int:
    """Run all tests; write the processor time, outcome and mutated functions of each."""
    set_mutant_under_test("stats")
    tests = {}
    items = session.items
    for item, following in zip(items, [*items[1:], None], strict=True):
        state()._stats.clear()
        failed, began = session.testsfailed, sum(os.times()[:4])
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        seconds, passed = sum(os.times()[:4]) - began, session.testsfailed == failed
        tests[item.nodeid] = {
            **{"seconds": seconds, "passed": passed, "functions": sorted(state()._stats)}
        }
    output.write_text(json.dumps(tests))
    return PASSED


def _items_of(mutant: str, items: list[Any], tests: dict[str, Any], seconds: float) -> list[Any]:
    """Return the passing tests that reach the function of `mutant`: whole files, cheap ones first.

    Fixtures of a file are made once. Dear tests at the end that exceed `seconds` are dropped.
    """
    function = mangled_name_from_mutant_name(mutant)
    reaching = [
        item
        for item in items
        if tests[item.nodeid]["passed"] and function in tests[item.nodeid]["functions"]
    ]
    cost: dict[Path, float] = {}
    for item in reaching:
        cost[item.path] = cost.get(item.path, 0) + tests[item.nodeid]["seconds"]
    chosen, spent = [], 0.0
    for item in sorted(reaching, key=lambda item: (cost[item.path], str(item.path))):
        spent += tests[item.nodeid]["seconds"]
        if chosen and spent > seconds:
            break
        chosen.append(item)
    return chosen


def _try_mutant(
    session: Any, mutant: str, items: list[Any], tests: dict[str, Any], folder: Path
) -> dict[str, Any]:
    if not items:
        return {"outcome": "no tests"}
    killer = folder / "killer"
    killer.unlink(missing_ok=True)

    def run() -> int:
        set_mutant_under_test(mutant)
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                killer.write_text(item.nodeid)
                return FAILED
        return PASSED

    began = time.monotonic()
    code = _in_child(run, folder, 10 + 3 * sum(tests[item.nodeid]["seconds"] for item in items))
    outcome = {PASSED: "survived", FAILED: "killed"}.get(code, "timeout or crash")
    by = killer.read_text() if killer.exists() else None
    return {"outcome": outcome, "tests": len(items), "by": by, "wall": time.monotonic() - began}


def _in_child(work: Callable[[], int], folder: Path, seconds: float) -> int:
    """Return what `work` gives in a child with `seconds` of processor time; if killed, its signal.

    Mutants may loop, fill the memory or leave processes behind.
    """
    own = folder / "tmp"
    own.mkdir()
    pid = os.fork()
    if not pid:
        code = 3
        try:
            os.setsid()
            os.environ["TMPDIR"] = tempfile.tempdir = str(own)
            # RLIMIT_CPU counts one process; what it starts inherits the limit
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            code = work()
        finally:
            os._exit(code)
    # other work on the machine may slow it down by much
    deadline = time.monotonic() + 30 + 10 * seconds
    while not (ended := os.waitpid(pid, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            os.killpg(pid, signal.SIGKILL)
            ended = os.waitpid(pid, 0)
            break
        time.sleep(0.02)
    # what it started and left
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    shutil.rmtree(own, ignore_errors=True)
    return os.waitstatus_to_exitcode(ended[1])
