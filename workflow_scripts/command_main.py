"""Runs the `main` of a command: a mistake of the user is one line, not a traceback."""

import atexit
import os
import signal
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout

from workflow_scripts.errors import STARTED_AT, PrintedText, UserError, path_error
from workflow_scripts.usage import usage_file, write_usage


def run_command(main: Callable[[], None]) -> None:
    """Run the `main` of a command; print a `UserError` as one line and exit with 2.

    All printed text is made `printable`. A step that succeeds writes the resources that it used to
    the file that STEP_USAGE names.
    """
    with redirect_stdout(PrintedText(sys.stdout)), redirect_stderr(PrintedText(sys.stderr)):
        _run(main)


def _run(main: Callable[[], None]) -> None:
    try:
        for word in sys.argv[1:]:
            if not word.isascii() and word != word.encode(errors="replace").decode():
                remedy = "rename the file, or set PYTHONUTF8=1 if it is"
                raise UserError(ascii(word), "not UTF-8", remedy)
        main()
        if usage := usage_file():
            write_usage(usage, STARTED_AT)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # the reader of the output, such as `head`, has closed it; discard what Python still buffers
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    except Exception as error:
        if (user_error := path_error(error)) is None:
            raise
        print(f"error: {user_error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt as error:
        # code that keeps something for the next run says so in the exception
        kept = str(error) or "unfinished outputs were not written; run the same command again"
        print(f"interrupted: {kept}", file=sys.stderr)
        sys.exit(130)
    finally:
        # run before those of packages, which would answer Ctrl-C with a traceback
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
