"""One case in a process of its own: what it says, how long it takes, how much memory."""

import os
import random
import resource
import select
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import psutil

from tools.fuzz_damage import damage_file, damage_words
from workflow_scripts.command_main import run_command

# of processor time, since the machine may do other things too
SECONDS, BYTES, CHARACTERS = 10, 10**9, 1000
# beyond these a case is ended, so that a wrong one cannot take the machine
_WALL_SECONDS, _MOST_BYTES, _LARGEST_FILE = 600, 6 * 10**9, 2 * 10**9
# of messages that say what to do; the last one is of argparse
_REMEDIES = (";", "give ", "put ", "write ", "must be ", "argument")
_SAID, _MARK, _TOO_LARGE = "said.fuzz", "error: ", 3


class Case(NamedTuple):
    """What is run in a folder with `files` (name: what it is a copy of), one of them damaged.

    Or the `words` of its command line are, which has these `options`. Files below a name of `own`
    may be changed by the case. `damaged`: those that are (default: all), `damage`: how.
    """

    run: Callable[[list[str]], object]
    files: Mapping[str, Path]
    words: Sequence[str] = ()
    options: Sequence[str] = ()
    damaged: Sequence[str] = ()
    own: Sequence[str] = ()
    damage: Callable[[Path, random.Random], None] = damage_file


def run_case(
    case: Case, chance: random.Random | None, folder: Path, shown: bool = False
) -> str | None:
    """Return what is wrong with how a case ends, None where nothing is; `shown`: print all.

    Without `chance` nothing is damaged, and an error is wrong.
    """
    for name, source in case.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / name)
    words, what = list(case.words), "nothing"
    if chance is None:
        pass
    elif case.options and chance.random() < 0.5:
        words = damage_words(words, case.options, list(case.files), chance)
        what = " ".join(words)
    else:
        what = chance.choice(case.damaged or list(case.files))
        case.damage(folder / what, chance)
    before = {name: (folder / name).read_bytes() for name in case.files}
    wrong = _watched(partial(case.run, words), words, folder)
    said = (folder / _SAID).read_text(encoding="utf-8", errors="replace")
    if shown:
        print(f"{folder}: {what!r}\n{said}")
    # what is not UTF-8 is named in ASCII
    parts = [part for name in (*case.files, *words) for part in (name, *Path(name).parts)]
    names = [*parts, *(ascii(part)[1:-1] for part in parts)]
    message = _message(said)
    if chance is None and message:
        return message
    wrong = wrong or _message_is_wrong(said, message, names) or _left_over(folder)
    if wrong is None:
        for name, body in before.items():
            mine = name.startswith(tuple(case.own)) if case.own else False
            if not mine and (not (folder / name).is_file() or (folder / name).read_bytes() != body):
                return f"{name} was changed"
    return wrong


def _watched(run: Callable[[], object], words: Sequence[str], folder: Path) -> str | None:
    """Run in a child process; return what is wrong with how it ends."""
    child = os.fork()
    if child == 0:
        sys.argv = ["command", *words]
        os._exit(_child(run, folder))
    handle = os.pidfd_open(child)
    has_ended = select.select([handle], [], [], _WALL_SECONDS)[0]
    os.close(handle)
    if not has_ended:
        os.kill(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    if not has_ended:
        return f"did not end in {_WALL_SECONDS} s"
    if (seconds := usage.ru_utime + usage.ru_stime) > SECONDS:
        return f"took more than {SECONDS} s" + (" by far" if seconds > 2 * SECONDS else "")
    if os.WIFSIGNALED(status):
        return f"was ended by {signal.Signals(os.WTERMSIG(status)).name}"
    if os.WEXITSTATUS(status) == _TOO_LARGE:
        return f"took more than {BYTES / 1e9:.0f} GB"
    if os.WEXITSTATUS(status) not in (0, 2):
        return (folder / _SAID).read_text(encoding="utf-8", errors="replace").split("\n")[-2]
    return None


def _child(run: Callable[[], object], folder: Path) -> int:
    """Return 0 for a result, 2 for one error, 1 for anything else, whose last line says what.

    `_TOO_LARGE` where it took too much memory; what the process had before is not the case's.
    """
    before = psutil.Process().memory_info()
    code = _ending(run, folder, before.vms)
    largest = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return _TOO_LARGE if largest - before.rss > BYTES else code


def _ending(run: Callable[[], object], folder: Path, there: int) -> int:
    os.chdir(folder)
    said = os.open(_SAID, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, stream in enumerate((nothing, said, said)):
        os.dup2(stream, number)
    sys.stdin = os.fdopen(0)
    sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace")
    resource.setrlimit(resource.RLIMIT_AS, (there + _MOST_BYTES, there + _MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    try:
        run_command(lambda: (run(), None)[1])
        return 0
    except SystemExit as end:
        if end.code in (0, 2, None):
            return end.code or 0
        print(f"exit with {end.code}")
    except BaseException as error:
        traceback.print_exc()
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = "/".join(Path(last.filename).parts[-2:])
        said_of_it = " ".join(str(error).split())[:100]
        print(f"{type(error).__name__} at {place}:{last.lineno}: {said_of_it}")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 1


def _message(said: str) -> str:
    """Return the error at the end of what a command says, or nothing."""
    last = said.strip().rpartition("\n")[2]
    return last[last.find(_MARK) :] if _MARK in last else ""


def _message_is_wrong(said: str, message: str, names: Sequence[str]) -> str | None:
    """Return what is wrong with a message: its length, or that it does not help."""
    if "Traceback" in said:
        return "a traceback in what it says"
    if not message:
        return None
    if len(message) > CHARACTERS:
        return f"a message of more than {CHARACTERS} characters: {message[:100]}"
    named = any(name and name in message for name in names)
    if not named and "--" not in message and "`" not in message:
        return f"a message that names neither file, option nor key: {message[:200]}"
    if not any(sign in message for sign in _REMEDIES):
        return f"a message without a remedy: {message[:200]}"
    return None


def _left_over(folder: Path) -> str | None:
    """Return that a temporary file was left."""
    found = [path.name for path in folder.rglob(".*") if path.suffix in (".tmp", ".old")]
    return f"left {found[0].split('.')[1]}.*.tmp" if found else None
