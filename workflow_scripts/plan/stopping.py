"""The end of a run by a mistake that a user can fix."""

import sys
from typing import NoReturn

from workflow_scripts.errors import UserError


def stop(error: UserError) -> NoReturn:
    """End the run with the message of a mistake, a line for each thing, without a traceback."""
    sys.exit(f"error: {error}")
