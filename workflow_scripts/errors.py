"""One error type for mistakes of the user, and the wrapper that prints it without a traceback."""

import sys
from collections.abc import Callable


class UserError(Exception):
    """A mistake in config, data or arguments.

    The message is one line: it names the file, line or key, and says what to do.
    """


def run_command(main: Callable[[], None]) -> None:
    """Run the `main` of a command; print a `UserError` as one line and exit with 2."""
    try:
        main()
    except UserError as error:
        message = " ".join(str(error).split())
        print(f"error: {message}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
