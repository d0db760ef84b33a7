import base64
import gzip
import io
import os
import re
import signal
import subprocess
import sys

import pytest
import requests
from faulty_server import Served
from same_everywhere import wait_for
from small_registry import files_below, sha256

from workflow_scripts.downloads import transfer
from workflow_scripts.downloads.answers import AbsentError
from workflow_scripts.downloads.transfer import Policy, download, finish
from workflow_scripts.errors import UserError

BODY = bytes(range(256)) * 4000  # about a megabyte: several chunks


@pytest.fixture
def part(tmp_path):
    return tmp_path / "root" / "file.txt.part"


def get(server, part, policy, body=BODY, path="file.txt", digest=True, size=True):
    expected = sha256(body) if digest else None
    download(server.url(path), part, expected, len(body) if size else None, policy)
    assert part.read_bytes() == body


def refused(server, part, policy, message, size=False, digest=False):
    """Get a file that is refused in one line, with nothing left of it."""
    with pytest.raises(UserError, match=message) as caught:
        get(server, part, policy, size=size, digest=digest)
    assert "\n" not in str(caught.value)
    assert files_below(part.parent) == []


def test_a_file_is_fetched_in_one_request_as_it_is(server, part, policy, pauses):
    server.files["file.txt"] = Served(BODY)
    get(server, part, policy)
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


@pytest.mark.parametrize("scheme", ["file", "http"])
def test_a_link_at_the_name_of_a_part_is_removed_and_not_followed(
    scheme, server, part, policy, tmp_path
):
    kept, origin = tmp_path / "kept.txt", tmp_path / "origin"
    kept.write_bytes(BODY[:1000])
    origin.write_bytes(BODY)
    part.parent.mkdir()
    part.symlink_to(kept)
    server.files["file.txt"] = Served(BODY)
    url = origin.as_uri() if scheme == "file" else server.url("file.txt")
    download(url, part, sha256(BODY), len(BODY), policy)
    assert not part.is_symlink() and part.read_bytes() == BODY
    assert kept.read_bytes() == BODY[:1000]


@pytest.mark.parametrize(
    ("faults", "digest", "ranges", "condition"),
    [
        ({"cut": (300_000, 2)}, True, ["bytes=300000-", "bytes=600000-"], '"one"'),
        # an attempt that brings bytes resets the count of attempts
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
    assert server.ranges_asked("file.txt")[-1] == "bytes=300000-"


def test_a_busy_server_is_asked_again_after_pauses(server, part, policy, pauses):
    server.files["file.txt"] = Served(BODY, refusal=(503, 2))
    get(server, part, policy)
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
    headers = {"Retry-After": "\u00b2"}
    server.files["d"] = Served(BODY, refusal=(503, 1), headers=headers)
    get(server, part.with_name("d"), policy, path="d")
    assert pauses[2] <= 1.0


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


WRONG, SIGN_IN = BODY[:-1] + b"x", b"<html>sign in</html>"
HASHES = f"is {sha256(WRONG)}, expected {sha256(BODY)}.*--mirror"


@pytest.mark.parametrize(
    ("served", "known", "message"),
    [
        (Served(BODY, swapped=WRONG), True, HASHES),
        (Served(SIGN_IN), True, f"20 bytes, expected {len(BODY)}"),
        (Served(SIGN_IN, length="none"), True, f"20 bytes, expected {len(BODY)}"),
        (Served(b""), False, "is empty"),
        *(
            (Served(BODY, length=length), False, "announces '.*' bytes, which is not a number")
            for length in ("\u00b2", "-5", "abc", "9" * 5000, "1_0", "+5")
        ),
    ],
)
def test_what_is_not_the_file_is_one_error_and_deleted(
    server, part, policy, served, known, message
):
    server.files["file.txt"] = served
    refused(server, part, policy, message, size=known, digest=known)
    server.files["file.txt"] = Served(BODY)
    get(server, part, policy)


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
        # the last of what was received may wait in a buffer
        wait_for(lambda: part.is_file() and part.stat().st_size > 100_000, process)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    there = part.stat().st_size
    assert 0 < there < len(BODY)
    server.files["file.txt"] = Served(BODY)
    get(server, part, Policy(), digest=False)
    assert server.ranges_asked("file.txt") == [None, f"bytes={there}-"]
    assert server.asked("file.txt")[1]["If-Range"] == '"one"'


@pytest.mark.parametrize(("path", "etag"), [("file.txt", '"two"'), ("other.txt", '"one"')])
def test_the_rest_of_another_file_is_not_joined(server, part, policy, path, etag):
    """The file or its address changed in between, and no hash is known that would tell."""
    server.files["file.txt"] = Served(b"a" * len(BODY), cut=(300_000, 99), ranges=False)
    with pytest.raises(UserError, match="given up"):
        get(server, part, policy, digest=False)
    server.files[path] = Served(BODY, etag=etag)
    get(server, part, policy, digest=False, path=path)


def test_a_part_that_is_complete_is_kept_and_a_longer_one_starts_again(server, part, policy):
    part.parent.mkdir()
    part.write_bytes(BODY)
    get(server, part, policy)
    assert server.requests == []
    server.files["file.txt"] = Served(BODY)
    for size in (True, False):  # of unknown size, the server answers 416
        part.write_bytes(BODY + b"more")
        get(server, part, policy, size=size)


def test_files_are_copied(tmp_path, part):
    source = tmp_path / "a file#1.txt"
    source.write_bytes(BODY)
    download(source.as_uri(), part, sha256(BODY), len(BODY))
    assert part.read_bytes() == BODY
    with pytest.raises(AbsentError, match="no such file"):
        download((tmp_path / "absent").as_uri(), part, None, None)
    with pytest.raises(UserError, match=re.escape("ftp://x/y: only http")):
        download("ftp://x/y", part, None, None)


@pytest.mark.parametrize("known", [True, False])
def test_writing_stops_at_the_size(server, part, policy, known, monkeypatch):
    """The registered one, or where none is known the largest; what comes after is not written."""
    server.files["file.txt"] = Served(BODY, length="none")
    short = Policy(attempts=1, largest=100_000)
    lengths = []
    monkeypatch.setattr(transfer, "discard", lambda path: lengths.append(transfer._length(path)))
    with pytest.raises(UserError, match="more than 100000 bytes come; they were deleted"):
        download(server.url("file.txt"), part, None, 100_000 if known else None, short)
    assert 0 < lengths[-1] <= 100_000


def test_a_told_size_beyond_the_largest_is_refused_before_a_byte(server, part):
    server.files["file.txt"] = Served(BODY)
    small = Policy(largest=100_000)
    refused(server, part, small, f"file has {len(BODY)} bytes, expected at most 100000")
    source = part.with_name("source")
    source.parent.mkdir(exist_ok=True)
    source.write_bytes(BODY)
    for size in (None, 10):
        with pytest.raises(UserError, match=f"file has {len(BODY)} bytes, expected"):
            download(source.as_uri(), part, None, size, small)
        assert files_below(part.parent) == ["source"]


def test_a_server_that_drips_is_given_up(server, part, pauses):
    """It brings new bytes in each attempt, which would otherwise reset the count of attempts."""
    server.files["file.txt"] = Served(BODY, drip=(50, 0.02))
    slow = Policy(attempts=2, pause=pauses.append, period=0.1, least_bytes=10_000)
    with pytest.raises(UserError, match=r"given up after 2 attempts: only \d+ bytes came in"):
        get(server, part, slow)
    assert len(server.requests) == 2
    # what came is kept, and a server that hurries is not given up
    server.files["file.txt"] = Served(BODY, drip=(100_000, 0.02))
    get(server, part, slow)


def test_a_server_that_drips_its_head_is_given_up(server, part, pauses):
    served = server.files["file.txt"] = Served(BODY, headers={"X": "x" * 500}, slow_head=0.01)
    slow = Policy(attempts=2, pause=pauses.append, read_timeout=0.3)
    # else it would be whole after some seconds
    with pytest.raises(UserError, match=r"given up after 2 attempts: no answer \(.*timed out"):
        get(server, part, slow)
    assert len(server.requests) == 2
    # what came of the head in time is not taken for all of it
    assert files_below(part.parent) == []
    # the timeout is of the head alone
    served.slow_head, served.drip = 0, (100_000, 0.05)
    get(server, part, slow)


@pytest.mark.parametrize(
    "span",
    [
        "bytes {first}-{last}/999",
        "bytes {first}-{first}/{total}",
        "bytes {last}-{last}/{total}",
        "bytes {first}-{last}/\u00b2",
        "bytes {first}-",
    ],
)
def test_a_range_that_cannot_be_starts_the_file_anew(server, part, policy, span):
    server.files["file.txt"] = Served(BODY, cut=(300_000, 1), span=span)
    get(server, part, policy, digest=False, size=False)
    assert server.ranges_asked("file.txt") == [None, "bytes=300000-", None]


def test_a_range_of_another_total_is_another_file(server, part, policy):
    """The rest comes without a length: only the range tells that the file has grown."""
    server.files["file.txt"] = Served(BODY[:-10], length="none")
    part.parent.mkdir()
    part.write_bytes(BODY[:300_000])
    refused(server, part, policy, f"has {len(BODY) - 10} bytes, expected {len(BODY)}", True, True)
    # no more is taken than the range tells
    span = f"bytes {{first}}-{len(BODY) - 1}/{len(BODY)}"
    server.files["file.txt"] = Served(BODY + b"more", length="none", span=span)
    part.write_bytes(BODY[:300_000])
    refused(server, part, policy, f"more than {len(BODY)} bytes come", digest=True)
    # and one that begins elsewhere is not the rest
    server.files["file.txt"] = Served(BODY, length="none", span="bytes {last}-{last}/{total}")
    part.write_bytes(BODY[:300_000])
    get(server, part, policy)
    assert server.ranges_asked("file.txt")[-2:] == ["bytes=300000-", None]


def test_redirections_are_followed(server, part, policy):
    server.files["file.txt"] = Served(BODY)
    found = {"Location": "../file.txt?key=1"}
    server.files["a/here"] = Served(b"", refusal=(302, 9), headers=found)
    get(server, part, policy, path="a/here")
    round_about = {"Location": "/a/here"}
    server.files["a/here"] = Served(b"", refusal=(302, 99), headers=round_about)
    with pytest.raises(UserError, match=r"leads nowhere \(Exceeded 10 redirects"):
        get(server, part.with_name("b"), policy, path="a/here")
    for nowhere in ("file:///etc/passwd", "http://a..b/c", "http://[::1", "http://x:port/"):
        server.files["a/here"].headers = {"Location": nowhere}
        server.files["a/here"].refusal = (302, 1)
        with pytest.raises(UserError, match="a/here: leads nowhere"):
            get(server, part.with_name("b"), policy, path="a/here")
    assert files_below(part.parent) == ["file.txt.part", "file.txt.part.validator"]


def test_from_https_no_way_leads_to_http(server, part, policy, monkeypatch):
    server.files["file.txt"] = Served(BODY)
    send = requests.adapters.HTTPAdapter.send

    def answer(self, request, **options):
        """What a server with a certificate would answer; there is none here."""
        if request.url.startswith("http:"):
            return send(self, request, **options)
        response = requests.Response()
        response.status_code, response.request, response.url = 302, request, request.url
        response.headers["Location"] = server.url("file.txt?key=secret")
        response.raw = io.BytesIO()
        return response

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", answer)
    # the error has the address that was given, not one on the way
    server.files["a"] = Served(b"", refusal=(302, 9), headers={"Location": "https://example.org/"})
    for address in ("https://example.org/file.txt", server.url("a")):
        told = re.escape(address) + ": leads from https to http://127.*/file.txt, wh"
        with pytest.raises(UserError, match=told) as error:
            download(address, part, sha256(BODY), len(BODY), policy)
        assert "secret" not in str(error.value)
    assert server.asked("file.txt") == []


def test_the_body_of_a_redirection_is_not_read(server, part):
    server.files["file.txt"] = Served(BODY)
    # the server says that more comes than does, which who reads it waits for
    target = {"Location": server.url("file.txt")}
    server.files["a"] = Served(b"", refusal=(302, 1), headers=target, length="100")
    get(server, part, Policy(attempts=1, read_timeout=0.5), path="a")


def test_no_secret_is_said_or_written(server, part, policy, capsys):
    """User, password and query of an address, whatever becomes of the download."""
    base = server.base.replace("//", "//user:pass%2Fword@")
    kinds = {
        "fine": Served(BODY),
        "cut": Served(BODY, cut=(300_000, 99), ranges=False),
        "absent": Served(BODY, refusal=(404, 99)),
        "busy": Served(BODY, refusal=(503, 99)),
        "wrong": Served(BODY, swapped=BODY[::-1]),
        "long": Served(BODY + b"x"),
        "nonsense": Served(BODY, length="no"),
        "away": Served(b"", refusal=(302, 99), headers={"Location": "http://u:secret@[?secret"}),
        "moved": Served(b"", refusal=(302, 9), headers={"Location": "/fine?key=secret"}),
    }
    server.files |= kinds
    said = []
    for kind in [*kinds, "http://user:secret@127.0.0.1:9/x?token=secret"]:
        address = f"{base}/{kind}?token=secret" if kind in kinds else kind
        try:
            download(address, part.with_name(kind[:5]), sha256(BODY), len(BODY), policy)
        except UserError as error:
            said.append(str(error))
    assert len(said) == len(kinds) - 1
    with pytest.raises(UserError) as error:
        download("ftp://user:secret@host/x?secret", part, None, None)
    notes = [path.read_text() for path in part.parent.glob("*.validator")]
    everything = "\n".join([*said, *notes, str(error.value), *capsys.readouterr()])
    assert f"{server.base}/busy: the server answered 503" in everything
    assert notes
    for secret in ("user", "pass", "word", "secret", "token"):
        assert secret not in everything
    # but the server got them
    [headers] = server.asked("fine")[:1]
    assert headers["query"] == "token=secret"
    assert base64.b64decode(headers["Authorization"].split()[1]) == b"user:pass/word"
    # and a server that leads on within itself too
    assert server.asked("fine")[-1]["query"] == "key=secret"
    assert server.asked("fine")[-1]["Authorization"] == headers["Authorization"]
