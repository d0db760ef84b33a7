"""Readers, models and commands under faults: each case gives a result or one error.

    python -m tools.fuzz --cases 20000

A case has one of its files damaged (bits flipped, lines and columns cut, odd values put in), or the
words of its command line. It is wrong if it ends in a traceback, takes 10 s of processor time or
1 GB, changes what it reads, leaves a temporary file, or says what does not help.
"""

import argparse
import gc
import importlib
import os
import pkgutil
import random
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import workflow_scripts
from tools.fuzz_limits import Case, run_case
from tools.fuzz_readers import reader_cases
from tools.fuzz_steps import step_cases


def all_cases(made: Path, run: Path | None = None, light: bool = False) -> dict[str, Case]:
    """Return all cases by name; what they need besides the project's files is put into `made`.

    Steps of the workflow are those that ended in the folder `run`; `light`: no models or commands.
    """
    (made / "read").mkdir()
    cases = reader_cases(made / "read") | (step_cases(run) if run else {})
    if light:
        return cases
    # Only now: they bring torch and transformers.
    from tools.fuzz_commands import command_cases
    from tools.fuzz_models import make_models, model_cases

    load_all()
    for name in ("models", "commands"):
        (made / name).mkdir()
    models = make_models(made / "models")
    return cases | model_cases(models, made / "models") | command_cases(models, made / "commands")


def fuzz(
    cases: Mapping[str, Case], count: int, seed: int, seconds: float
) -> tuple[int, dict[str, list[int]]]:
    """Run `count` cases, or as many as `seconds` allow.

    Return how many they were, and of what was wrong the numbers of its cases.
    """
    wrong: dict[str, list[int]] = {}
    started = time.monotonic()
    for number in range(count):
        if time.monotonic() - started > seconds:
            return number, wrong
        if found := run_number(cases, seed, number):
            if found not in wrong:
                print(f"{number}: {found}", flush=True)
            wrong.setdefault(found, []).append(number)
    return count, wrong


def check_undamaged(cases: Mapping[str, Case]) -> list[str]:
    """Return those that do not end well as they are, and what they say."""
    wrong = []
    for name, case in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            if found := run_case(case, None, Path(folder)):
                wrong.append(f"{name}: {found}")
    return wrong


def load_all() -> None:
    """Import all that cases do, so that each has it from the process that it is forked from."""
    for name in ("sklearn.linear_model", "sklearn.neural_network", "onnxruntime", "onnx", "faiss"):
        importlib.import_module(name)
    for module in pkgutil.walk_packages(workflow_scripts.__path__, "workflow_scripts."):
        importlib.import_module(module.name)


def run_number(
    cases: Mapping[str, Case], seed: int, number: int, shown: bool = False
) -> str | None:
    """Return what is wrong with a case, by its number, and which one it is."""
    # in another order in each round
    names = random.Random(f"{seed} {number // len(cases)}").sample(sorted(cases), len(cases))
    name = names[number % len(names)]
    with tempfile.TemporaryDirectory() as folder:
        found = run_case(cases[name], random.Random(f"{seed} {number}"), Path(folder), shown)
    return found and f"{name}: {found}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--only", default="", help="names of cases that begin so")
    parser.add_argument("--case", type=int, metavar="NUMBER", help="run one, and show what it says")
    steps = "folder where a run of the workflow ended, whose steps are run as well"
    parser.add_argument("--run", type=Path, help=steps)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--light", action="store_true", help="readers and steps alone")
    which.add_argument("--heavy", action="store_true", help="models and commands alone")
    whole = "run each case once, undamaged, which must give a result"
    parser.add_argument("--undamaged", action="store_true", help=whole)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory() as made:
        cases = all_cases(Path(made), arguments.run, arguments.light)
        begin = ("model", "pickled", "command") if arguments.heavy else arguments.only
        cases = {name: case for name, case in cases.items() if name.startswith(begin)}
        if arguments.undamaged:
            sys.exit("\n".join(check_undamaged(cases)) or None)
        if arguments.case is not None:
            sys.exit(run_number(cases, arguments.seed, arguments.case, shown=True))
        # what the garbage collector of a case looks at is copied for it
        gc.freeze()
        given = (arguments.cases, arguments.seed, 60 * arguments.minutes)
        done, wrong = fuzz(cases, *given)
    for what, numbers in sorted(wrong.items(), key=lambda item: -len(item[1])):
        print(f"{len(numbers)} times, first case {numbers[0]}: {what}")
    print(f"{done} cases of {len(cases)} kinds, {sum(map(len, wrong.values()))} of them wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    # nothing uses the hub, and no process is forked from one with threads
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    main()
