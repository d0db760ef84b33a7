"""The commands and the workflow, disturbed at random moments and then run again.

    python -m tools.chaos --faults 100

Each fault is a whole run of one of them in a folder of its own that is killed, finds its disk full
or read-only, its files gone, cut or dated otherwise, or a second run next to it. Then the same
command is run again: it must end well, with the bytes of a run that nothing disturbed, no
traceback at any time, and neither a file nor a process left over.
"""

import argparse
import gc
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tools.chaos_faults import KINDS, NEED_A_MOUNT, Alone, Case, can_mount
from tools.chaos_subjects import FORK, make_folders, subjects_in


def choose(number: int, commands: list[str], kinds: list[str], chance: random.Random) -> list[str]:
    """Return subject and kind of a fault: each fourth one of the workflow, all kinds in turn."""
    turn, place = divmod(number, 4)
    if place == 3 or not commands:
        return ["workflow", kinds[turn % len(kinds)]]
    return [chance.choice(commands), kinds[(3 * turn + place) % len(kinds)]]


def disturb(
    names: list[str], numbers: list[int], seed: int, seconds: float, folder: Path
) -> tuple[int, int]:
    """Run these faults, or as many as `seconds` allow; return how many, and how many are wrong."""
    end = time.monotonic() + seconds
    making = FORK.Process(target=make_folders, args=(folder,))
    making.start()
    making.join()
    kinds = list(KINDS)
    if not can_mount(folder / "mount"):
        kinds = [kind for kind in kinds if kind not in NEED_A_MOUNT]
        print(f"left out, since nothing can be mounted here: {', '.join(NEED_A_MOUNT)}")
    known = subjects_in(folder)
    alone: dict[str, Alone] = {}
    wrong = 0
    for done, number in enumerate(numbers):
        if time.monotonic() > end:
            return done, wrong
        chance = random.Random(f"{seed} {number}")
        commands = [name for name in names if name != "workflow"]
        name, kind = choose(number, commands, kinds, chance)
        if name not in names:
            name = chance.choice(commands)
        if name not in alone:
            alone[name] = Alone(known[name], folder / f"alone-{name}")
            alone[name].make()
        case = Case(alone[name], folder / f"case-{number}", chance)
        try:
            KINDS[kind](case)
            case.again()
        finally:
            case.clean()
        wrong += bool(case.wrong)
        result = "; ".join(case.wrong[:5]) or "the same"
        print(f"{seed} {number:4}  {name:9}  {kind:15}  {case.when}: {result}", flush=True)
    return len(numbers), wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    names = list(subjects_in(Path()))
    add("--faults", type=int, default=100, help="default: %(default)s")
    add("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    add("--minutes", type=float, default=60, help="no fault begins later (default: %(default)s)")
    add("--numbers", type=int, nargs="+", help="faults of a seed to run again, instead of all")
    add("--only", choices=names, nargs="+", default=names, help="what is disturbed")
    add("--folder", type=Path, help="to work in; folders of what was wrong stay there")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    # of steps of the workflow, which ask for `python`
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    gc.freeze()
    numbers = arguments.numbers or list(range(arguments.faults))
    folder = Path(tempfile.mkdtemp(prefix="chaos-", dir=arguments.folder)).resolve()
    try:
        minutes = arguments.minutes
        done, wrong = disturb(arguments.only, numbers, arguments.seed, 60 * minutes, folder)
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder)
    print(f"{done} faults, {wrong} of them wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
