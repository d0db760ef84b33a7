"""Downloading one file: resumed where it stopped, tried again, and checked before it is used."""

import json
import os
import random
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from workflow_scripts.downloads.answers import (
    AbsentError,
    OtherBytesError,
    PassingError,
    SlowError,
    body_of,
    check_status,
    get,
    total_of,
)
from workflow_scripts.downloads.mirrors import shown
from workflow_scripts.downloads.unpacking import LARGEST_MEMBER
from workflow_scripts.errors import UserError
from workflow_scripts.files import keep_on_disk, no_link, sha256_of, without_link, write_json

if TYPE_CHECKING:
    import requests

_MEGABYTE = 10**6
_SECONDS_BETWEEN_LINES = 10.0
_CHANGED = "use a mirror (--mirror) or correct the registry (of a model: files.json)"
_AGAIN = f"run again; if it fails again, the file has changed: {_CHANGED}"


@dataclass(frozen=True)
class Policy:
    """How long to wait (seconds) and how often to try.

    `attempts` failures in a row end a download; one that brought new bytes starts the count again.
    After failure n it pauses for up to first_pause * 2^(n-1), half of that at random. An attempt
    that brings fewer than `least_bytes` in `period` seconds ends, and is a failure without new
    bytes, as is one whose head is not whole after `read_timeout`. Where nobody knows the size of a
    file, it has no more than `largest` bytes.
    """

    attempts: int = 6
    first_pause: float = 1.0
    longest_pause: float = 60.0
    connect_timeout: float = 20.0
    read_timeout: float = 60.0
    period: float = 60.0
    least_bytes: int = 60_000
    largest: int = LARGEST_MEMBER
    pause: Callable[[float], None] = time.sleep

    def pause_before(self, failures: int, retry_after: float | None) -> float:
        full = self.first_pause * 2 ** (failures - 1)
        # jitter keeps many clients from coming back together
        pause = max(full * random.uniform(0.5, 1.0), retry_after or 0.0)
        return min(pause, self.longest_pause)


USUAL = Policy()


class _Request(NamedTuple):
    """Address, file of the bytes so far, their hash and number where known, and how to try."""

    url: str
    part: Path
    sha256: str | None
    size: int | None
    policy: Policy

    @property
    def name(self) -> str:
        """The beginning of messages."""
        return shown(self.url)

    @property
    def most(self) -> int:
        """The number of bytes or, if it is unknown, the largest number that is accepted."""
        return self.policy.largest if self.size is None else self.size


def download(
    url: str, part: Path, sha256: str | None, size: int | None, policy: Policy = USUAL
) -> None:
    """Download `url` (http, https, file) to `part`, whose bytes are right when this returns.

    `part` is meant to be renamed by the caller. If it already exists, from a download that was
    broken off, only the rest is asked for (Range), provided that it can be told to be the rest of
    the same file: by the server's ETag or Last-Modified of the first part (If-Range), or at the
    end by `sha256`. A `size` of None is unknown, as is a `sha256` of None.

    Raises `AbsentError` if there is no such file, `UserError` for a server that cannot be reached
    or sends less or other than expected. Wrong bytes are deleted; right ones stay in `part`, so
    that the next run continues from there.
    """
    request = _Request(url, part, sha256, size, policy)
    scheme = urlsplit(url).scheme
    without_link(part)
    if scheme == "file":
        _copy(Path(unquote(urlsplit(url).path)), request)
    elif scheme in ("http", "https"):
        _download_http(request)
    else:
        raise UserError(request.name, "only http, https and file addresses are fetched", "fix it")
    _check(request)


def discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    _validator_path(part).unlink(missing_ok=True)


def finish(part: Path, path: Path) -> None:
    """Give a download its name, which a power cut then leaves with its bytes."""
    keep_on_disk(part)
    os.replace(part, path)
    discard(part)


def _copy(source: Path, request: _Request) -> None:
    if not source.is_file():
        raise AbsentError(source, "no such file", "put the file there or use another mirror")
    _check_total(request, _length(source))
    part = request.part
    part.parent.mkdir(parents=True, exist_ok=True)
    discard(part)
    try:
        with open(source, "rb") as stream, open(part, "xb", opener=no_link) as copy:
            shutil.copyfileobj(stream, copy)
    except OSError as error:
        discard(part)
        raise UserError(source, f"cannot be copied to {part} ({error})", "fix that") from error


def _check(request: _Request) -> None:
    part, sha256, size = request.part, request.sha256, request.size
    found_size = _length(part)
    if found_size == 0 and size is None:
        wrong, remedy = "is empty", "run again; if it fails again, use a mirror (--mirror)"
    elif size is not None and found_size != size:
        wrong = f"{found_size} bytes, expected {size}"
        remedy = f"they were deleted: {_AGAIN}"
    elif sha256 is not None and (actual := sha256_of(part)) != sha256:
        wrong = f"sha256 is {actual}, expected {sha256}"
        remedy = f"the bytes were deleted: {_AGAIN}"
    else:
        return
    discard(part)
    raise UserError(request.name, wrong, remedy)


def _check_total(request: _Request, total: int | None) -> None:
    """Raise `UserError` for a file that has another size than expected, before it is fetched."""
    unknown = request.size is None
    if total is None or total == request.size or (unknown and total <= request.most):
        return
    discard(request.part)
    raise UserError(
        request.name,
        f"the server's file has {total} bytes, expected {'at most ' * unknown}{request.most}: "
        "the file has changed, or this is a web page instead",
        _CHANGED,
    )


def _download_http(request: _Request) -> None:
    # Only now: requests takes a while, and plans and copies have no use for it.
    from workflow_scripts.downloads.sessions import Session

    part, name, policy = request.part, request.name, request.policy
    part.parent.mkdir(parents=True, exist_ok=True)
    failures, furthest = 0, _length(part)
    with Session() as session:
        while not (part.is_file() and _length(part) == request.size):
            try:
                _request(session, request)
                return
            except PassingError as error:
                if isinstance(error, OtherBytesError):
                    discard(part)
                reached = _length(part)
                brought = reached - furthest
                slow = isinstance(error, SlowError)
                failures = 1 if brought > 0 and not slow else failures + 1
                furthest = max(furthest, reached)
                if failures >= policy.attempts:
                    raise UserError(
                        name,
                        f"given up after {failures} attempts: {error}",
                        f"run again; the {reached} bytes fetched so far are kept",
                    ) from error
                seconds = policy.pause_before(failures, error.retry_after)
                report_progress(f"{name}: {error}; next attempt in {seconds:.1f} s")
                policy.pause(seconds)
            except OSError as error:
                raise UserError(part, f"cannot be written ({error})", "fix that") from error


def _request(session: "requests.Session", request: _Request) -> None:
    part, name, policy = request.part, request.name, request.policy
    offset, validator = _resumable(request)
    headers = {}
    if offset:
        headers["Range"] = f"bytes={offset}-"
        if validator:
            headers["If-Range"] = validator
    timeout = (policy.connect_timeout, policy.read_timeout)
    with get(session, request.url, headers, timeout) as response:
        check_status(response, name)
        resumed = response.status_code == 206
        total = total_of(response, name, offset)
        _check_total(request, total)
        if not resumed:
            _remember_validator(request, response)
        known = total if total is not None else request.size
        of = f" of {known / _MEGABYTE:.1f}" if known else ""
        most = request.most if total is None else total
        next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
        with open(part, "ab" if resumed else "wb", opener=no_link) as stream:
            for chunk in body_of(response, policy.period, policy.least_bytes):
                if stream.tell() + len(chunk) > most:
                    stream.close()
                    discard(part)
                    raise UserError(
                        name, f"more than {most} bytes come", f"they were deleted: {_AGAIN}"
                    )
                stream.write(chunk)
                if time.monotonic() >= next_line:
                    next_line += _SECONDS_BETWEEN_LINES
                    report_progress(f"{name}: {stream.tell() / _MEGABYTE:.1f}{of} MB")
    if total is not None and _length(part) != total:
        raise PassingError(f"the connection ended after {_length(part)} of {total} bytes")
    report_progress(f"{name}: {_length(part) / _MEGABYTE:.1f} MB fetched")


def _resumable(request: _Request) -> tuple[int, str | None]:
    part = request.part
    offset = _length(part)
    validator = None
    with suppress(OSError, ValueError, KeyError, TypeError):
        recorded = json.loads(_validator_path(part).read_text(encoding="utf-8"))
        validator = recorded["validator"] if recorded["url"] == request.name else None
    unknown = request.sha256 is None and validator is None
    if (request.size is not None and offset > request.size) or unknown:
        return 0, None
    return offset, validator


def _remember_validator(request: _Request, response: "requests.Response") -> None:
    etag = response.headers.get("ETag", "")
    # a weak ETag is not valid in If-Range
    validator = etag if etag.startswith('"') else response.headers.get("Last-Modified")
    # the body that is there belongs to an older answer
    discard(request.part)
    if validator:
        write_json(_validator_path(request.part), {"url": request.name, "validator": validator})


def _validator_path(part: Path) -> Path:
    return part.with_name(part.name + ".validator")


def _length(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def report_progress(line: str) -> None:
    """Print a line on stderr at once."""
    print(line, file=sys.stderr, flush=True)
