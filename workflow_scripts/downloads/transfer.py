"""Downloading one file: resumed where it stopped, tried again, and checked before it is used."""

import json
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of, write_json

if TYPE_CHECKING:
    import requests

_CHUNK = 2**16
_MEGABYTE = 10**6
_SECONDS_BETWEEN_LINES = 10.0
# Some servers turn away the default name of an HTTP library.
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "mirror-bert-workflow"}
_CHANGED = "take a mirror (--mirror) or correct the registry (of a model: files.json)"
_AGAIN = f"run again, and if it stays so the file has changed: {_CHANGED}"
_REQUEST_TIMEOUT, _TOO_EARLY, _TOO_MANY_REQUESTS = 408, 425, 429
# address, file of the bytes so far, their hash and number where these are known
_Wanted = tuple[str, Path, str | None, int | None]


class AbsentError(UserError):
    """The server says that there is no such file."""


class _PassingError(Exception):
    """A failure that another attempt may mend, after the seconds that the server asked for."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


@dataclass(frozen=True)
class Policy:
    """How long to wait (seconds) and how often to try.

    `attempts` failures in a row end a download; one that brought new bytes starts the count anew.
    After failure n it pauses for up to first_pause * 2^(n-1), half of that at random.
    """

    attempts: int = 6
    first_pause: float = 1.0
    longest_pause: float = 60.0
    connect_timeout: float = 20.0
    read_timeout: float = 60.0
    pause: Callable[[float], None] = time.sleep

    def pause_before(self, failures: int, retry_after: float | None) -> float:
        full = self.first_pause * 2 ** (failures - 1)
        # jitter keeps many clients from coming back together
        pause = max(full * random.uniform(0.5, 1.0), retry_after or 0.0)
        return min(pause, self.longest_pause)


def download(
    url: str, part: Path, sha256: str | None, size: int | None, policy: Policy | None = None
) -> None:
    """Download `url` (http, https, file) to `part`, whose bytes are right when this returns.

    `part` is meant to be renamed by the caller. If it is there already, from a download that was
    broken off, only the rest is asked for (Range), provided that it can be told to be the rest of
    the same file: by the server's ETag or Last-Modified of the first part (If-Range), or at the
    end by `sha256`. A `size` of None is unknown, as is a `sha256` of None.

    Raises `AbsentError` if there is no such file, `UserError` for a server that cannot be reached
    or sends less or other than expected. Wrong bytes are deleted; right ones stay in `part`, so
    that the next run goes on from there.
    """
    scheme = urlsplit(url).scheme
    if scheme == "file":
        _copy(Path(unquote(urlsplit(url).path)), part)
    elif scheme in ("http", "https"):
        _download_http((url, part, sha256, size), policy or Policy())
    else:
        raise UserError(f"{url}: only http, https and file addresses are fetched; mend it")
    _check(url, part, sha256, size)


def discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    _validator_path(part).unlink(missing_ok=True)


def finish(part: Path, path: Path) -> None:
    part.replace(path)
    discard(part)


def _copy(source: Path, part: Path) -> None:
    if not source.is_file():
        raise AbsentError(f"{source}: no such file")
    part.parent.mkdir(parents=True, exist_ok=True)
    discard(part)
    try:
        shutil.copyfile(source, part)
    except OSError as error:
        discard(part)
        raise UserError(f"{source}: cannot be copied to {part} ({error}); mend that") from error


def _check(url: str, part: Path, sha256: str | None, size: int | None) -> None:
    found_size = _length(part)
    if found_size == 0 and size is None:
        wrong = "is empty; run again, and if it stays so take a mirror (--mirror)"
    elif size is not None and found_size != size:
        wrong = f"{found_size} bytes, expected {size}; they were deleted: {_AGAIN}"
    elif sha256 is not None and (found := sha256_of(part)) != sha256:
        wrong = f"sha256 is {found}, expected {sha256}; the bytes were deleted: {_AGAIN}"
    else:
        return
    discard(part)
    raise UserError(f"{url}: {wrong}")


def _download_http(wanted: _Wanted, policy: Policy) -> None:
    import requests

    url, part, _, size = wanted
    part.parent.mkdir(parents=True, exist_ok=True)
    failures, furthest = 0, _length(part)
    with requests.Session() as session:
        session.headers.update(_HEADERS)
        while not (part.is_file() and _length(part) == size):
            try:
                _request(session, wanted, policy)
                return
            except _PassingError as error:
                reached = _length(part)
                failures = 1 if reached > furthest else failures + 1
                furthest = max(furthest, reached)
                if failures >= policy.attempts:
                    raise UserError(
                        f"{url}: given up after {failures} attempts: {error}; run again, the "
                        f"{reached} bytes that are there are kept"
                    ) from error
                seconds = policy.pause_before(failures, error.retry_after)
                _say(f"{url}: {error}; next attempt in {seconds:.1f} s")
                policy.pause(seconds)
            except OSError as error:
                raise UserError(f"{part}: cannot be written ({error}); mend that") from error


def _request(session: "requests.Session", wanted: _Wanted, policy: Policy) -> None:
    from requests import exceptions as errors

    url, part, _, size = wanted
    offset, validator = _resumable(wanted)
    headers = {}
    if offset:
        headers["Range"] = f"bytes={offset}-"
        if validator:
            headers["If-Range"] = validator
    timeout = (policy.connect_timeout, policy.read_timeout)
    try:
        response = session.get(url, headers=headers, stream=True, timeout=timeout)
    except (errors.InvalidSchema, errors.InvalidURL, errors.TooManyRedirects) as error:
        raise UserError(f"{url}: leads nowhere ({_reason(error)}); take a mirror") from error
    except errors.RequestException as error:
        raise _PassingError(f"no answer ({_reason(error)})") from error
    with response:
        _check_status(url, response, part)
        resumed = response.status_code == 206
        if resumed and not response.headers.get("Content-Range", "").startswith(f"bytes {offset}-"):
            discard(part)
            raise _PassingError("the server sent another range than asked for")
        length = response.headers.get("Content-Length", "")
        total = int(length) + (offset if resumed else 0) if length.isdigit() else None
        if size is not None and total is not None and total != size:
            discard(part)
            raise UserError(
                f"{url}: the server's file has {total} bytes, expected {size}: it has changed, or "
                f"this is a page in its place; {_CHANGED}"
            )
        if not resumed:
            _remember_validator(url, part, response)
        of = f" of {(total or size or 0) / _MEGABYTE:.1f}" if total or size else ""
        next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
        with open(part, "ab" if resumed else "wb") as stream:
            for chunk in _body(response):
                stream.write(chunk)
                if time.monotonic() >= next_line:
                    next_line += _SECONDS_BETWEEN_LINES
                    _say(f"{url}: {stream.tell() / _MEGABYTE:.1f}{of} MB")
    if total is not None and _length(part) != total:
        raise _PassingError(f"the connection ended after {_length(part)} of {total} bytes")
    _say(f"{url}: {_length(part) / _MEGABYTE:.1f} MB fetched")


def _check_status(url: str, response: "requests.Response", part: Path) -> None:
    status = response.status_code
    if status in (200, 206):
        return
    said = f"the server answered {status} {response.reason}".rstrip()
    if status == 416:
        # what is there is not the beginning of the server's file
        discard(part)
        raise _PassingError(said)
    if status >= 500 or status in (_REQUEST_TIMEOUT, _TOO_EARLY, _TOO_MANY_REQUESTS):
        after = response.headers.get("Retry-After", "")
        raise _PassingError(said, float(after) if after.isdigit() else None)
    remedy = "take a mirror (--mirror) or put the file in its place by hand"
    raise (AbsentError if status in (404, 410) else UserError)(f"{url}: {said}; {remedy}")


def _body(response: "requests.Response") -> Iterator[bytes]:
    """Yield the body as sent, whatever the server says of compression."""
    import urllib3

    # the caller counts the bytes, and says it more plainly
    response.raw.enforce_content_length = False
    try:
        yield from response.raw.stream(_CHUNK, decode_content=False)
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise _PassingError(f"the connection broke ({_reason(error)})") from error


def _resumable(wanted: _Wanted) -> tuple[int, str | None]:
    url, part, sha256, size = wanted
    offset = _length(part)
    validator = None
    with suppress(OSError, ValueError, KeyError, TypeError):
        recorded = json.loads(_validator_path(part).read_text(encoding="utf-8"))
        validator = recorded["validator"] if recorded["url"] == url else None
    if (size is not None and offset > size) or (sha256 is None and validator is None):
        return 0, None
    return offset, validator


def _remember_validator(url: str, part: Path, response: "requests.Response") -> None:
    etag = response.headers.get("ETag", "")
    # a weak ETag is not valid in If-Range
    validator = etag if etag.startswith('"') else response.headers.get("Last-Modified")
    # the body that is there belongs to an older answer
    discard(part)
    if validator:
        write_json(_validator_path(part), {"url": url, "validator": validator})


def _validator_path(part: Path) -> Path:
    return part.with_name(part.name + ".validator")


def _length(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
