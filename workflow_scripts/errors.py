"""One error type for mistakes of the user, and the wrapper that prints it without a traceback."""

import difflib
import errno
import os
import sys
import time
from collections.abc import Callable, Iterable

# of a place that cannot be written or read, which is not the program's mistake
_NO_PLACE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR)
_NO_PLACE += (errno.ENAMETOOLONG, errno.ELOOP)
# names that a message holds, and how many are shown where it does not
_MOST_NAMES, _FEW_NAMES = 24, 5
# the start of a command, which imports this first
_STARTED = time.time()


class UserError(Exception):
    """A mistake in config, data or arguments.

    The message is one line: it names the file, line or key, and says what to do.
    """


def nearest_name(name: object, known: Iterable[str]) -> str:
    """Return the hint for a mistyped name: the nearest known one or, if none is near, all.

    Of more than a line holds it is a few, those most like it.
    """
    known = [str(one) for one in known]
    near = difflib.get_close_matches(str(name), known, n=1)
    if near:
        return f"did you mean '{near[0]}'?"
    if len(known) > _MOST_NAMES:
        near = difflib.get_close_matches(str(name), known, n=_FEW_NAMES, cutoff=0)
        return f"of {len(known)} the nearest are {', '.join(near)}"
    return f"known are {', '.join(sorted(known))}" if known else "there is none"


def is_full_disk(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


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
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        if is_full_disk(error):
            said = "the disk is full; free space and run it again"
        elif error.errno in _NO_PLACE and where:
            said = f"cannot be used ({error.strerror}); mend that or give another place"
        else:
            raise
        print(f"error: {where}{said}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt as error:
        # whoever keeps something for the next time says so
        kept = str(error) or "what was not finished is not written; give the same command again"
        print(f"interrupted: {kept}", file=sys.stderr)
        sys.exit(130)
