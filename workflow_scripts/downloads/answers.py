"""What a web server answers: checked before any of its bytes are taken."""

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from workflow_scripts.downloads.mirrors import shown
from workflow_scripts.errors import UserError

if TYPE_CHECKING:
    import requests

_CHUNK = 2**16
_REQUEST_TIMEOUT, _TOO_EARLY, _TOO_MANY_REQUESTS = 408, 425, 429
# int() would take other digits than these, and fails at 5,000
_NUMBER = re.compile("[0-9]{1,18}")
_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)")


class AbsentError(UserError):
    """The server says that there is no such file."""


class PassingError(Exception):
    """A failure that another attempt may fix, after the seconds that the server asked for."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class OtherBytesError(PassingError):
    """What exists already is not the beginning of the server's file."""


class SlowError(PassingError):
    """Bytes come, but so few that the attempt counts as one that brought none."""


def get(
    session: "requests.Session", url: str, headers: dict[str, str], timeout: tuple[float, float]
) -> "requests.Response":
    """Ask for a file where its address leads to; its body is still to be read."""
    import urllib3
    from requests import exceptions as errors

    name = shown(url)
    try:
        return session.get(url, headers=headers, timeout=timeout, stream=True)
    except UserError as error:
        raise error.at(name) from None
    except (ValueError, errors.TooManyRedirects, urllib3.exceptions.HTTPError) as error:
        raise UserError(name, f"leads nowhere ({reason_of(error)})", "take a mirror") from error
    except errors.RequestException as error:
        raise PassingError(f"no answer ({reason_of(error)})") from error


def total_of(response: "requests.Response", name: str, offset: int) -> int | None:
    """Return the size of the whole file by the server's word, None where it says nothing."""
    told = response.headers.get("Content-Length")
    if told is not None and not _NUMBER.fullmatch(told):
        raise UserError(
            name,
            f"the server announces {told[:40]!r} bytes, which is not a number",
            "use a mirror (--mirror) or put the file there by hand",
        )
    if response.status_code != 206:
        return None if told is None else int(told)
    span = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if span is not None:
        first, last = int(span[1]), int(span[2])
        total = last + 1 if span[3] == "*" else int(span[3])
        if first == offset and first <= last < total and told in (None, str(last + 1 - first)):
            return total
    raise OtherBytesError("the server sent a different range than requested")


def check_status(response: "requests.Response", name: str) -> None:
    """Raise the error that a status stands for; `AbsentError` where there is no such file."""
    status = response.status_code
    if status in (200, 206):
        return
    answer = f"the server answered {status} {shown(response.reason or '')}".rstrip()
    if status == 416:
        # what exists is not the beginning of the server's file
        raise OtherBytesError(answer)
    if status >= 500 or status in (_REQUEST_TIMEOUT, _TOO_EARLY, _TOO_MANY_REQUESTS):
        after = response.headers.get("Retry-After", "")
        raise PassingError(answer, float(after) if _NUMBER.fullmatch(after) else None)
    remedy = "use a mirror (--mirror) or put the file there by hand"
    raise (AbsentError if status in (404, 410) else UserError)(name, answer, remedy)


def body_of(response: "requests.Response", period: float, least: int) -> Iterator[bytes]:
    """Yield the body as sent, whatever the server says of compression, as it comes.

    Fewer than `least` bytes in `period` seconds are a `SlowError`.
    """
    import urllib3

    # the caller counts the bytes, and says it more plainly
    raw = response.raw
    raw.enforce_content_length = False
    came, end = 0, time.monotonic() + period
    try:
        # not read(), which waits for as many bytes as are asked for; read1() does not see the end
        while chunk := raw.read1(min(_CHUNK, _left(raw)), decode_content=False):
            yield chunk
            came += len(chunk)
            if time.monotonic() >= end:
                if came < least:
                    raise SlowError(f"only {came} bytes came in {period:.0f} s")
                came, end = 0, time.monotonic() + period
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise PassingError(f"the connection broke ({reason_of(error)})") from error


def _left(raw: Any) -> int:
    """Return how many bytes of a body are still to come, or enough where it does not say."""
    return _CHUNK if raw.length_remaining is None else raw.length_remaining


def reason_of(error: BaseException) -> str:
    """Return what an error says, in one line without secrets."""
    return shown(" ".join(str(error).split()))[:200] or type(error).__name__
