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
_REQUEST_TIMEOUT, _TOO_EARLY, _TOO_MANY_REQUESTS = 408, 425, 429


class AbsentError(UserError):
    """The server says that there is no such file."""


class _PassingError(Exception):
    """A failure that another attempt may mend; the server may have said when to make it."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


@dataclass(frozen=True)
class Policy:
    """How long to wait and how often to try; times in seconds.

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
        """Return the pause after so many failures, longer if the server asked for that."""
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
        _download_http(url, part, sha256, size, policy or Policy())
    else:
        raise UserError(f"{url}: only http, https and file addresses are fetched; mend it")
    _check(url, part, sha256, size)


def discard(part: Path) -> None:
    """Remove what a download has left."""
    part.unlink(missing_ok=True)
    _validator_path(part).unlink(missing_ok=True)


def finish(part: Path, path: Path) -> None:
    """Rename a finished download to its place."""
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
        discard(part)
        raise UserError(f"{url}: is empty; run again, and if it stays so take a mirror (--mirror)")
    if size is not None and found_size != size:
        discard(part)
        raise UserError(
            f"{url}: {found_size} bytes, expected {size}; they were deleted: run again, and if it "
            f"stays so the file has changed: {_CHANGED}"
        )
    if sha256 is None:
        return
    found = sha256_of(part)
    if found != sha256:
        discard(part)
        raise UserError(
            f"{url}: sha256 is {found}, expected {sha256}; the bytes were deleted: run again, and "
            f"if it stays so the file has changed: {_CHANGED}"
        )


def _download_http(
    url: str, part: Path, sha256: str | None, size: int | None, policy: Policy
) -> None:
    import requests

    part.parent.mkdir(parents=True, exist_ok=True)
    failures, furthest = 0, _length(part)
    with requests.Session() as session:
        session.headers.update(_HEADERS)
        while not (part.is_file() and _length(part) == size):
            try:
                _request(session, url, part, sha256, size, policy)
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


def _request(
    session: "requests.Session",
    url: str,
    part: Path,
    sha256: str | None,
    size: int | None,
    policy: Policy,
) -> None:
    """Make one request and write its body; `_PassingError` if another one may do better."""
    import requests

    offset, validator = _resumable(url, part, sha256, size)
    headers = {}
    if offset:
        headers["Range"] = f"bytes={offset}-"
        if validator:
            headers["If-Range"] = validator
    timeout = (policy.connect_timeout, policy.read_timeout)
    try:
        response = session.get(url, headers=headers, stream=True, timeout=timeout)
    except (
        requests.exceptions.InvalidSchema,
        requests.exceptions.InvalidURL,
        requests.exceptions.TooManyRedirects,
    ) as error:
        raise UserError(f"{url}: leads nowhere ({_reason(error)}); take a mirror") from error
    except requests.RequestException as error:
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
        progress = _Progress(url, total or size)
        with open(part, "ab" if resumed else "wb") as stream:
            for chunk in _body(response):
                stream.write(chunk)
                progress.reached(stream.tell())
    if total is not None and _length(part) != total:
        raise _PassingError(f"the connection ended after {_length(part)} of {total} bytes")
    progress.done(_length(part))


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
    """Yield the body as sent: what a server says of compression must not change the bytes."""
    import urllib3

    # the caller counts the bytes, and says it more plainly
    response.raw.enforce_content_length = False
    try:
        yield from response.raw.stream(_CHUNK, decode_content=False)
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise _PassingError(f"the connection broke ({_reason(error)})") from error


def _resumable(
    url: str, part: Path, sha256: str | None, size: int | None
) -> tuple[int, str | None]:
    """Return how many bytes of `part` to keep, and by what the server knows them again."""
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


class _Progress:
    """Lines on stderr, few enough for a log file."""

    def __init__(self, url: str, total: int | None) -> None:
        self._url = url
        self._total = total
        self._next = time.monotonic() + _SECONDS_BETWEEN_LINES

    def reached(self, size: int) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _SECONDS_BETWEEN_LINES
            share = f" of {self._total / _MEGABYTE:.1f}" if self._total else ""
            _say(f"{self._url}: {size / _MEGABYTE:.1f}{share} MB")

    def done(self, size: int) -> None:
        _say(f"{self._url}: {size / _MEGABYTE:.1f} MB fetched")
