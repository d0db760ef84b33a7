"""The end of a run by a mistake that a user can fix."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from workflow_scripts.errors import UserError, path_error


@contextmanager
def mistakes_end_the_run() -> Iterator[None]:
    """End the run where the block, or a decorated function, raises what a user can fix.

    It ends with the message, a line for each thing, without a traceback.
    """
    try:
        yield
    except UserError as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        if (user_error := path_error(error)) is None:
            raise
        sys.exit(f"error: {user_error}")
