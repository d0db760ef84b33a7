import gzip
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from faulty_server import Served
from small_registry import files_below, sha256

from workflow_scripts.downloads.transfer import AbsentError, Policy, download, finish
from workflow_scripts.errors import UserError

BODY = bytes(range(256)) * 4000  # about a megabyte: several chunks


@pytest.fixture
def part(tmp_path):
    return tmp_path / "root" / "file.txt.part"


def get(server, part, policy, body=BODY, path="file.txt", digest=True, size=True):
    expected = sha256(body) if digest else None
    download(server.url(path), part, expected, len(body) if size else None, policy)


def test_a_file_is_fetched_in_one_request_as_it_is(server, part, policy, pauses):
    server.files["file.txt"] = Served(BODY)
    get(server, part, policy)
    assert part.read_bytes() == BODY
    [headers] = server.asked("file.txt")
    assert headers["Accept-Encoding"] == "identity"
    assert "Range" not in headers
    assert pauses == []
    finish(part, part.with_suffix(""))
    assert files_below(part.parent) == ["file.txt"]


def test_a_body_labelled_as_compressed_is_kept_as_sent(server, part, policy):
    # some stores label a .gz file so, and HTTP libraries would unpack it
    body = gzip.compress(b"text")
    server.files["file.txt"] = Served(body, headers={"Content-Encoding": "gzip"})
    get(server, part, policy, body)
    assert part.read_bytes() == body


@pytest.mark.parametrize(
    ("faults", "digest", "ranges", "condition"),
    [
        ({"cut": (300_000, 2)}, True, ["bytes=300000-", "bytes=600000-"], '"one"'),
        # an attempt that brings bytes starts the count of attempts anew
        ({"cut": (100_000, 9)}, True, [f"bytes={n}00000-" for n in range(1, 10)], '"one"'),
        # a server without ranges sends it all again
        ({"cut": (300_000, 1), "ranges": False}, True, ["bytes=300000-"], '"one"'),
        ({"cut": (300_000, 1), "ranges": False}, False, ["bytes=300000-"], '"one"'),
        # without validator and hash nothing is resumed, with a hash alone it is
        ({"cut": (300_000, 1), "etag": None}, False, [None], None),
        ({"cut": (300_000, 1), "etag": 'W/"weak"'}, False, [None], None),
        ({"cut": (300_000, 1), "etag": None}, True, ["bytes=300000-"], None),
    ],
)
def test_a_cut_download_goes_on_at_its_end(server, part, policy, faults, digest, ranges, condition):
    server.files["file.txt"] = Served(BODY, **faults)
    get(server, part, policy, digest=digest)
    assert part.read_bytes() == BODY
    assert server.ranges_asked("file.txt") == [None, *ranges]
    assert server.asked("file.txt")[1].get("If-Range") == condition


def test_a_download_that_always_ends_early_is_given_up_its_bytes_kept(server, part, policy, pauses):
    server.files["file.txt"] = Served(BODY, cut=(300_000, 99), ranges=False)
    message = r"given up after 3 attempts: the connection ended after 300000 of 1024000 bytes"
    with pytest.raises(UserError, match=message):
        get(server, part, policy)
    assert len(server.requests) == 3
    assert len(pauses) == 2
    assert part.stat().st_size == 300_000
    server.files["file.txt"] = Served(BODY)
    get(server, part, policy)
    assert part.read_bytes() == BODY
    assert server.ranges_asked("file.txt")[-1] == "bytes=300000-"


def test_a_busy_server_is_asked_again_after_pauses(server, part, policy, pauses):
    server.files["file.txt"] = Served(BODY, refusal=(503, 2))
    get(server, part, policy)
    assert part.read_bytes() == BODY
    assert len(server.requests) == 3
    assert 0.5 <= pauses[0] <= 1.0
    assert 1.0 <= pauses[1] <= 2.0
    pauses.clear()
    # a pause that the server asks for is made, but not any length
    for path, status, seconds in [("b", 429, "5"), ("c", 503, "9000")]:
        headers = {"Retry-After": seconds}
        server.files[path] = Served(BODY, refusal=(status, 1), headers=headers)
        get(server, part.with_name(path), policy, path=path)
    assert pauses == [5.0, 8.0]


def test_pauses_double_up_to_the_longest():
    policy = Policy(first_pause=2.0, longest_pause=10.0)
    for failures, full in [(1, 2.0), (2, 4.0), (3, 8.0)]:
        drawn = [policy.pause_before(failures, None) for _ in range(200)]
        assert full / 2 <= min(drawn) and max(drawn) <= full
        assert max(drawn) - min(drawn) > full / 4  # jitter
    assert policy.pause_before(9, None) == 10.0


@pytest.mark.parametrize(
    ("status", "requests", "message"),
    [
        *((status, 3, f"after 3 attempts: the server answered {status}") for status in (500, 429)),
        *((status, 1, f"answered {status}.*--mirror.*by hand") for status in (403, 404, 410)),
    ],
)
def test_a_refusal_fails_now_or_after_attempts(server, part, policy, status, requests, message):
    server.files["file.txt"] = Served(BODY, refusal=(status, 99))
    with pytest.raises(UserError, match=message) as caught:
        get(server, part, policy)
    assert isinstance(caught.value, AbsentError) == (status in (404, 410))
    assert len(server.requests) == requests
    assert files_below(part.parent) == []


def test_a_server_that_is_not_there_is_one_error(part, policy, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(UserError, match="given up after 3 attempts: no answer"):
        download("http://127.0.0.1:9/file.txt", part, None, None, policy)
    assert files_below(part.parent) == []


def test_wrong_bytes_are_deleted_and_both_hashes_told(server, part, policy):
    wrong = BODY[:-1] + b"x"
    server.files["file.txt"] = Served(BODY, swapped=wrong)
    with pytest.raises(UserError, match=f"is {sha256(wrong)}, expected {sha256(BODY)}.*--mirror"):
        get(server, part, policy)
    assert files_below(part.parent) == []
    server.files["file.txt"] = Served(BODY)
    get(server, part, policy)
    assert part.read_bytes() == BODY


SIGN_IN = b"<html>sign in</html>"


@pytest.mark.parametrize(("body", "length"), [(SIGN_IN, None), (SIGN_IN, "none"), (b"", None)])
def test_another_size_than_expected_is_an_error(server, part, policy, body, length):
    message = f"20 bytes, expected {len(BODY)}" if body else "is empty"
    server.files["file.txt"] = Served(body, length=length)
    with pytest.raises(UserError, match=message):
        get(server, part, policy, digest=bool(body), size=bool(body))
    assert files_below(part.parent) == []


def test_a_download_killed_in_the_middle_goes_on_from_its_part(server, part, project):
    # the server sends a third and then keeps the connection open, until the process is killed
    server.files["file.txt"] = Served(BODY[:300_000], length=str(len(BODY)))
    program = (
        "import sys; from pathlib import Path; "
        "from workflow_scripts.downloads.transfer import download; "
        "download(sys.argv[1], Path(sys.argv[2]), None, int(sys.argv[3]))"
    )
    arguments = [server.url("file.txt"), str(part), str(len(BODY))]
    process = subprocess.Popen([sys.executable, "-c", program, *arguments], cwd=project)
    try:
        deadline = time.monotonic() + 60
        # the last of what was received may wait in a buffer
        while not (part.is_file() and part.stat().st_size > 100_000):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.02)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    there = part.stat().st_size
    assert 0 < there < len(BODY)
    server.files["file.txt"] = Served(BODY)
    get(server, part, Policy(), digest=False)
    assert part.read_bytes() == BODY
    assert server.ranges_asked("file.txt") == [None, f"bytes={there}-"]
    assert server.asked("file.txt")[1]["If-Range"] == '"one"'


def test_the_rest_of_another_file_is_not_joined(server, part, policy):
    """The file changed between two attempts, and no hash is known that would tell."""
    server.files["file.txt"] = Served(b"a" * len(BODY), cut=(300_000, 99), ranges=False)
    with pytest.raises(UserError, match="given up"):
        get(server, part, policy, digest=False)
    server.files["file.txt"] = Served(BODY, etag='"two"')
    get(server, part, policy, digest=False)
    assert part.read_bytes() == BODY


def test_a_part_that_is_complete_is_kept_and_a_longer_one_starts_again(server, part, policy):
    part.parent.mkdir()
    part.write_bytes(BODY)
    get(server, part, policy)
    assert server.requests == []
    server.files["file.txt"] = Served(BODY)
    for size in (True, False):  # of unknown size, the server answers 416
        part.write_bytes(BODY + b"more")
        get(server, part, policy, size=size)
        assert part.read_bytes() == BODY


def test_files_are_copied(tmp_path, part):
    source = tmp_path / "a file#1.txt"
    source.write_bytes(BODY)
    download(source.as_uri(), part, sha256(BODY), len(BODY))
    assert part.read_bytes() == BODY
    with pytest.raises(AbsentError, match="no such file"):
        download((tmp_path / "absent").as_uri(), part, None, None)
    with pytest.raises(UserError, match=re.escape("ftp://x/y: only http")):
        download("ftp://x/y", part, None, None)
