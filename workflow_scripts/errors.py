"""One error type for mistakes of the user, and the wrapper that prints it without a traceback."""

import atexit
import difflib
import errno
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable

# of a place that cannot be written or read, which is not the program's mistake
_NO_PLACE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR)
_NO_PLACE += (errno.ENAMETOOLONG, errno.ELOOP)
# the start of a command, which imports this first
_STARTED = time.time()


class UserError(Exception):
    """A mistake in config, data or arguments.

    The message is one line: it names the file, line or key, and says what to do.
    """


def nearest_name(name: object, known: Iterable[str]) -> str:
    """Return the hint for a mistyped name: the nearest known one or, if none is near, all."""
    known = [str(one) for one in known]
    near = difflib.get_close_matches(str(name), known, n=1)
    if near:
        return f"did you mean '{near[0]}'?"
    return f"known are {', '.join(sorted(known))}" if known else "there is none"


def _number_of(error: BaseException) -> int | None:
    """Return the system's number of an error; safetensors and tokenizers have it in their text."""
    if isinstance(error, OSError):
        return error.errno
    found = re.search(r"\(os error ([0-9]{1,4})\)", str(error))
    return int(found[1]) if found else None


def is_full_disk(error: BaseException) -> bool:
    return _number_of(error) in (errno.ENOSPC, errno.EDQUOT)


def run_command(main: Callable[[], None]) -> None:
    """Run the `main` of a command; print a `UserError` as one line and exit with 2.

    A step that succeeds leaves what it used in the file that STEP_USAGE names.
    """
    try:
        main()
        usage = os.environ.get("STEP_USAGE")
        # of several processes at once the first
        if usage and os.environ.get("RANK", "0") == "0":
            from workflow_scripts.usage import write_usage

            write_usage(usage, _STARTED)
    except UserError as error:
        message = " ".join(str(error).split())
        print(f"error: {message}", file=sys.stderr)
        sys.exit(2)
    except Exception as error:
        number, name = _number_of(error), getattr(error, "filename", None)
        where = f"{name}: " if name else ""
        if is_full_disk(error):
            said = "the disk is full; free space and run it again"
        elif number in _NO_PLACE and (where or not isinstance(error, OSError)):
            where = where or "a place to write to: "
            said = f"cannot be used ({os.strerror(number)}); mend that or give another place"
        else:
            raise
        print(f"error: {where}{said}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    finally:
        # run before those of packages, which would answer Ctrl-C with a traceback
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
