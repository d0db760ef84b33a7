"""What an address answers, by its headers: nothing is downloaded."""

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from workflow_scripts.downloads.answers import reason_of
from workflow_scripts.downloads.mirrors import shown
from workflow_scripts.errors import UserError

if TYPE_CHECKING:
    import requests

_PERMANENT = (301, 308)
_BUSY = (429, 500, 502, 503, 504)


class Answer(NamedTuple):
    """Bytes of the file, None where the server does not say; where it has moved to; what is wrong.

    A redirection counts as moved only if the server calls it permanent.
    """

    size: int | None = None
    moved_to: str | None = None
    problem: str | None = None


def ask(url: str, timeout: float) -> Answer:
    """Ask for the headers of an address; `timeout` in seconds, for connecting and for answering."""
    if urlsplit(url).scheme == "file":
        path = Path(unquote(urlsplit(url).path))
        return Answer(path.stat().st_size) if path.is_file() else Answer(problem="no such file")
    import requests
    import urllib3

    from workflow_scripts.downloads.sessions import Session

    # a busy server is asked again, a silent one is not
    again = urllib3.Retry(2, read=False, connect=0, status_forcelist=_BUSY, backoff_factor=0.5)
    again.raise_on_status = False
    with Session(again) as session:
        try:
            return _ask(session, url, timeout)
        except requests.Timeout:
            return Answer(problem=f"no answer within {timeout:g} s")
        except UserError as error:
            return Answer(problem=error.problem)
        except (requests.RequestException, urllib3.exceptions.HTTPError, ValueError) as error:
            cause = getattr(error.args[0], "reason", error) if error.args else error
            return Answer(problem=f"no answer ({reason_of(cause)})")


def _ask(session: "requests.Session", url: str, timeout: float) -> Answer:
    # some servers do not know HEAD, or leave the length out of it
    with session.head(url, timeout=timeout, allow_redirects=True) as response:
        size = response.headers.get("Content-Length", "")
        if response.ok and size.isdecimal():
            return _answer(response, int(size))
    with session.get(url, timeout=timeout, stream=True, headers={"Range": "bytes=0-0"}) as response:
        if response.status_code == 206:
            told = response.headers.get("Content-Range", "")
            match = re.fullmatch(r"bytes [0-9]+-[0-9]+/([0-9]+)", told)
        else:
            match = re.fullmatch(r"([0-9]+)", response.headers.get("Content-Length", ""))
        return _answer(response, int(match[1]) if match else None)


def _answer(response: "requests.Response", size: int | None) -> Answer:
    """Return what a response says, and where the permanent redirections before it led."""
    moved_to = None
    for step, following in pairwise([*response.history, response]):
        if step.status_code not in _PERMANENT:
            break
        moved_to = shown(following.url)
    if not response.ok:
        status = f"{response.status_code} {response.reason}".rstrip()
        return Answer(moved_to=moved_to, problem=f"the server answers {status}")
    return Answer(size, moved_to)
