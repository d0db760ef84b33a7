import errno
import gzip
import json
import os
import subprocess
import sys
import tarfile
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from archives import make_archive
from faulty_server import Served
from same_everywhere import wait_for
from small_registry import files_below, known, sha256

from workflow_scripts.downloads import unpacking
from workflow_scripts.downloads.fetching import fetch
from workflow_scripts.downloads.mirrors import open_mirror
from workflow_scripts.errors import UserError
from workflow_scripts.locking import sole_fetch

ONE, TWO = b"one\n" * 1000, b"two\n" * 1000


@pytest.fixture
def root(tmp_path):
    return tmp_path / "root"


@pytest.fixture
def two_files(server, data_set):
    """A set of two files on the server, each at two addresses."""
    server.files |= {"data/one.txt": Served(ONE), "data/two.txt": Served(TWO)}
    server.files |= {"data/uno.txt": Served(ONE), "data/dos.txt": Served(TWO)}
    return data_set(
        base=server.url("data/"),
        files=[
            {"path": "a/one.txt", "url": ["one.txt", "uno.txt"], **known(ONE)},
            {"path": "a/two.txt", "url": ["two.txt", "dos.txt"], **known(TWO)},
        ],
    )


GOOD_MEMBERS = {"x/one.txt": ONE, "x/two.txt": TWO, "x/readme": b"no"}


@pytest.fixture
def archived(server, data_set, tmp_path_factory):
    """Put an archive on the server; return its set, with hashes of the members as they should be.

    `known_archive` says whether the registry has the hash of the archive.
    """

    def make(ending="zip", members=GOOD_MEMBERS, links=(), known_archive=True):
        path = tmp_path_factory.mktemp("archive") / f"a.{ending}"
        body = make_archive(path, members, dict.fromkeys(links, tarfile.SYMTYPE)).read_bytes()
        server.files[f"data.{ending}"] = Served(body)
        wanted = [
            {"member": "x/one.txt", "path": "a/one.txt", **known(ONE)},
            {"member": "x/two.txt", "path": "b/two.txt"},
        ]
        archive = {"url": server.url(f"data.{ending}"), "members": wanted}
        return data_set(archives=[archive | (known(body) if known_archive else {})])

    return make


def put(path, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)


def test_files_are_fetched_and_recorded_and_right_ones_kept(two_files, root, policy, server):
    put(root / "a/one.txt", ONE)
    before = (root / "a/one.txt").stat().st_mtime_ns
    records = fetch(two_files, root, policy=policy)
    assert files_below(root) == ["a/one.txt", "a/two.txt"]
    assert (root / "a/two.txt").read_bytes() == TWO
    assert [record["url"] for record in records] == [None, server.url("data/two.txt")]
    assert (records[1]["sha256"], records[1]["size"]) == (sha256(TWO), len(TWO))
    assert records[1]["date"].startswith("20")
    # the first address serves it, so that the second is not asked
    assert [path for path, _ in server.requests] == ["data/two.txt"]
    assert (root / "a/one.txt").stat().st_mtime_ns == before
    server.requests.clear()
    assert [record["url"] for record in fetch(two_files, root, policy=policy)] == [None, None]
    assert server.requests == []


@pytest.mark.parametrize("offline", [False, True])
def test_a_file_of_the_users_own_is_never_overwritten(
    two_files, archived, root, policy, server, offline
):
    put(root / "a/two.txt", b"mine")
    with pytest.raises(UserError, match=r"a/two\.txt: exists with sha256 .*left as it is") as one:
        fetch(two_files, root, offline=offline, policy=policy)
    assert sha256(b"mine") in str(one.value) and sha256(TWO) in str(one.value)
    assert (root / "a/two.txt").read_bytes() == b"mine"
    assert server.requests == []
    (root / "a/two.txt").unlink()
    (root / "a/two.txt").mkdir()
    with pytest.raises(UserError, match="is not a file"):
        fetch(two_files, root, policy=policy)
    # nor where it is a member of an archive
    put(root / "a/one.txt", b"mine")
    with pytest.raises(UserError, match="left as it is"):
        fetch(archived(), root, policy=policy)
    assert server.requests == []
    assert files_below(root) == ["a/one.txt"]


def test_an_unknown_hash_is_noted_and_holds_from_then_on(data_set, server, root, policy):
    server.files["one.txt"] = Served(ONE)
    entry = data_set(files=[{"path": "a/one.txt", "url": server.url("one.txt")}])
    [record] = fetch(entry, root, policy=policy)
    assert (record["sha256"], record["hash_known"]) == (sha256(ONE), False)
    assert files_below(root) == [".first-hashes/a-set.json", "a/one.txt"]
    # that of its first download is nobody else's
    assert fetch(entry, root, policy=policy)[0]["hash_known"] is False
    # the server's file changes: a second download is not the first one
    (root / "a/one.txt").unlink()
    server.files["one.txt"] = Served(TWO)
    with pytest.raises(UserError, match=f"expected {sha256(ONE)}"):
        fetch(entry, root, policy=policy)
    assert not (root / "a/one.txt").exists()
    # the file changes where it is
    (root / "a/one.txt").write_bytes(TWO)
    with pytest.raises(UserError, match=r"\.first-hashes/a-set\.json noted"):
        fetch(entry, root, policy=policy)
    (root / ".first-hashes/a-set.json").unlink()
    assert fetch(entry, root, policy=policy)[0]["sha256"] == sha256(TWO)


def test_a_file_stored_gzipped_is_checked_by_what_it_holds(data_set, server, root, policy):
    server.files["one.txt"] = Served(ONE)
    keys = {"path": "a/one.txt.gz", "stored": "gzip", **known(ONE)}
    entry = data_set(files=[{**keys, "url": server.url("one.txt")}])
    [record] = fetch(entry, root, policy=policy)
    assert gzip.decompress((root / "a/one.txt.gz").read_bytes()) == ONE
    assert (record["sha256"], record["size"]) == (sha256(ONE), len(ONE))
    # which shows before a run whether the file is still the same
    assert record["stored_sha256"] == sha256((root / "a/one.txt.gz").read_bytes())
    assert files_below(root) == ["a/one.txt.gz"]
    # a gzip of other settings holds the same
    (root / "a/one.txt.gz").write_bytes(gzip.compress(ONE, 1))
    fetch(entry, root, policy=policy)
    for wrong in (gzip.compress(TWO), ONE):
        (root / "a/one.txt.gz").write_bytes(wrong)
        with pytest.raises(UserError, match="move it away"):
            fetch(entry, root, policy=policy)


@pytest.mark.parametrize("ending", ["zip", "tar.gz"])
@pytest.mark.parametrize("known_archive", [True, False])
def test_members_are_there_and_no_archive(archived, root, policy, server, ending, known_archive):
    entry = archived(ending, known_archive=known_archive)
    records = fetch(entry, root, policy=policy)
    assert files_below(root) == [".first-hashes/a-set.json", "a/one.txt", "b/two.txt"]
    assert not (root / "archives").exists()
    assert (root / "b/two.txt").read_bytes() == TWO
    assert [record["url"] for record in records] == [server.url(f"data.{ending}")] * 2
    noted = json.loads((root / ".first-hashes/a-set.json").read_text())
    assert noted.pop("b/two.txt") == sha256(TWO)
    archive = server.files[f"data.{ending}"].body
    assert noted == ({} if known_archive else {f"archives/data.{ending}": sha256(archive)})
    server.requests.clear()
    fetch(entry, root, policy=policy)
    assert server.requests == []


@pytest.mark.parametrize("ending", ["zip", "tar.gz"])
@pytest.mark.parametrize(
    ("members", "links", "message"),
    [
        ({**GOOD_MEMBERS, "../evil.txt": b"evil"}, (), "leads out of its folder"),
        ({**GOOD_MEMBERS, "x/two.txt": b"/etc/passwd"}, ("x/two.txt",), "not a plain file"),
        ({"x/one.txt": ONE}, (), r"has no member x/two\.txt; the archive has changed"),
        ({**GOOD_MEMBERS, "x/one.txt": ONE + b"more"}, (), "is larger than 4000 bytes"),
        ({**GOOD_MEMBERS, "x/one.txt": TWO}, (), r"sha256 of member x/one\.txt is"),
    ],
    ids=["parent", "link", "missing", "larger", "wrong bytes"],
)
def test_a_bad_archive_leaves_nothing(archived, root, policy, ending, members, links, message):
    entry = archived(ending, members, links, known_archive=False)
    with pytest.raises(UserError, match=message) as caught:
        fetch(entry, root, policy=policy)
    assert "\n" not in str(caught.value)
    assert files_below(root.parent) == ["registry.yaml"]
    fetch(archived(ending, known_archive=False), root, policy=policy)
    assert (root / "a/one.txt").read_bytes() == ONE


def test_a_truncated_archive_is_resumed_by_the_next_run(archived, root, policy, server):
    entry = archived()
    server.files["data.zip"].cut = (300, 99)
    server.files["data.zip"].ranges = False
    with pytest.raises(UserError, match="given up"):
        fetch(entry, root, policy=policy)
    assert files_below(root) == ["archives/data.zip.part", "archives/data.zip.part.validator"]
    server.files["data.zip"] = Served(server.files["data.zip"].body)
    fetch(entry, root, policy=policy)
    assert server.ranges_asked("data.zip")[-1] == "bytes=300-"
    assert files_below(root) == [".first-hashes/a-set.json", "a/one.txt", "b/two.txt"]


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "a mirror"
    (folder / "a").mkdir(parents=True)
    return folder


@pytest.fixture
def mirror(folder, server):
    """The same mirror as a folder, as its file address, or from the server."""

    def make(kind):
        if kind == "http":
            for file in files_below(folder):
                server.files[f"mirror/{file}"] = Served((folder / file).read_bytes())
            return open_mirror(server.url("mirror/"))
        return open_mirror(folder.as_uri() if kind == "file" else str(folder))

    return make


@pytest.mark.parametrize("kind", ["folder", "file", "http"])
def test_a_mirror_goes_before_the_url(two_files, root, policy, server, folder, mirror, kind):
    (folder / "a/one.txt").write_bytes(ONE[:-1] + b"x")
    # its wrong bytes are an error, whatever other addresses there are
    with pytest.raises(UserError, match=f"expected {sha256(ONE)}"):
        fetch(two_files, root, mirror(kind), policy=policy)
    assert files_below(root) == []
    (folder / "a/one.txt").write_bytes(ONE)
    records = fetch(two_files, root, mirror(kind), policy=policy)
    assert records[0]["url"].endswith("/a/one.txt")
    assert records[1]["url"] == server.url("data/two.txt")
    assert server.asked("data/one.txt") == server.asked("data/uno.txt") == []
    assert files_below(root) == ["a/one.txt", "a/two.txt"]


@pytest.mark.parametrize("kind", ["folder", "http"])
@pytest.mark.parametrize("unpacked", [True, False])
def test_a_mirror_of_either_form(archived, root, policy, server, folder, mirror, kind, unpacked):
    entry = archived()
    if unpacked:
        put(folder / "a/one.txt", ONE)
        with pytest.raises(UserError, match=r"1 file missing: [^,]*b/two\.txt;"):
            fetch(entry, root, mirror("folder"), offline=True, policy=policy)
        put(folder / "b/two.txt", TWO)
    else:
        put(folder / "archives/data.zip", server.files["data.zip"].body)
    fetch(entry, root, mirror(kind), policy=policy)
    assert (root / "b/two.txt").read_bytes() == TWO
    assert server.asked("data.zip") == []


@pytest.mark.parametrize("kind", ["folder", "http"])
def test_a_file_stored_gzipped_is_taken_from_a_mirror(data_set, root, policy, folder, mirror, kind):
    keys = {"path": "a/one.txt.gz", "stored": "gzip", **known(ONE)}
    entry = data_set(files=[{**keys, "url": "https://example.invalid/one.txt"}])
    for wrong, message in [(ONE, "not a sound gzip"), (gzip.compress(TWO), "expected")]:
        (folder / "a/one.txt.gz").write_bytes(wrong)
        with pytest.raises(UserError, match=message):
            fetch(entry, root, mirror(kind), policy=policy)
        assert files_below(root) == []
    (folder / "a/one.txt.gz").write_bytes(gzip.compress(ONE, 1))
    [record] = fetch(entry, root, mirror(kind), policy=policy)
    assert record["sha256"] == sha256(ONE)
    assert (root / "a/one.txt.gz").read_bytes() == (folder / "a/one.txt.gz").read_bytes()


def test_offline_takes_a_mirror_if_it_is_a_folder(two_files, root, policy, server, folder, mirror):
    with pytest.raises(UserError, match=r"2 files missing: .*one\.txt, .*two\.txt; run without"):
        fetch(two_files, root, offline=True, policy=policy)
    (folder / "a/one.txt").write_bytes(ONE)
    with pytest.raises(UserError, match=r"1 file missing: [^,]*two\.txt; run without"):
        fetch(two_files, root, mirror("folder"), offline=True, policy=policy)
    assert files_below(root) == []
    (folder / "a/two.txt").write_bytes(TWO)
    fetch(two_files, root, mirror("folder"), offline=True, policy=policy)
    fetch(two_files, root, offline=True, policy=policy)
    assert server.requests == []
    with pytest.raises(UserError, match="an address cannot be used offline"):
        fetch(two_files, root, mirror("http"), offline=True, policy=policy)
    with pytest.raises(UserError, match=r"--mirror .*no such folder"):
        open_mirror(str(folder / "absent"))


def test_a_gated_set_says_where_to_get_it_or_comes_from_a_mirror(data_set, root, policy, server):
    obtain = "ask at https://example.org and put both files into a/ below the data root"
    files = [{"path": "a/one.txt"}, {"path": "a/two.txt"}]
    gated = data_set(gated=True, obtain=obtain, files=files)
    server.files["mirror/a/one.txt"] = Served(ONE)
    mirror = open_mirror(server.url("mirror"))
    with pytest.raises(UserError, match=r"cannot be downloaded \(.*two\.txt.*404.*\); ask at"):
        fetch(gated, root, mirror, policy=policy)
    for offline in (False, True):
        message = r"'a-set': cannot be downloaded \(1 file missing: [^,]*a/two.txt\); ask at"
        with pytest.raises(UserError, match=message):
            fetch(gated, root, offline=offline, policy=policy)
    server.files["mirror/a/two.txt"] = Served(TWO)
    fetch(gated, root, mirror, policy=policy)
    put(root / "a/two.txt", TWO)
    assert [record["sha256"] for record in fetch(gated, root)] == [sha256(ONE), sha256(TWO)]


class Meeting:
    """Two fetches at once: the first one stops in the middle until the second has begun."""

    def __init__(self):
        self.halfway, self.met = threading.Event(), threading.Event()

    def hold(self):
        first = not self.halfway.is_set()
        self.halfway.set()
        if first:
            self.met.wait(0.5)
        else:
            self.met.set()

    def fetch_twice(self, fetch):
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(fetch)
            assert self.halfway.wait(10)
            second = pool.submit(fetch)
            return first.result(), second.result()


BODY = bytes(range(256)) * 4000


@pytest.mark.parametrize("kind", ["file", "archive"])
def test_two_fetches_into_one_root_are_one_after_the_other(data_set, server, root, tmp_path, kind):
    """From a server that tells no length, for a registry that has no hash."""
    meeting = Meeting()
    faults = {"etag": None, "length": "none", "halfway": meeting.hold}
    if kind == "file":
        server.files["one"] = Served(BODY, **faults)
        entry = data_set(files=[{"path": "one.bin", "url": server.url("one")}])
    else:
        archive = make_archive(tmp_path / "a.tar", {"one": BODY, "two": BODY[::-1]}).read_bytes()
        server.files["one.tar"] = Served(archive, **faults)
        members = [{"member": "one", "path": "one.bin"}, {"member": "two", "path": "two.bin"}]
        entry = data_set(archives=[{"url": server.url("one.tar"), "members": members}])
    first, second = meeting.fetch_twice(lambda: fetch(entry, root))
    assert (root / "one.bin").read_bytes() == BODY
    assert len(server.requests) == 1
    # the second says that the files were there
    assert {record["sha256"] for record in first} == {record["sha256"] for record in second}
    assert {record["url"] for record in second} == {None}
    noted = json.loads((root / ".first-hashes/a-set.json").read_text())
    assert noted["one.bin"] == sha256(BODY)
    assert not list(root.rglob("*.lock")) and not list(root.rglob("*.part*"))


def test_who_waits_for_a_fetch_is_told(root, capfd):
    def hold_shortly():
        with sole_fetch(root, "a-set"):
            pass

    with ThreadPoolExecutor(1) as pool:
        with sole_fetch(root, "a-set"):
            other = pool.submit(hold_shortly)
            printed = []
            # a line may come in parts
            wait_for(lambda: printed.append(capfd.readouterr().err) or "\n" in "".join(printed))
            assert not other.done()
            with sole_fetch(root, "another"):
                pass
        other.result(120)
    line = f"{root}/.a-set.lock: waiting for another process that is fetching it\n"
    assert "".join(printed) == line
    assert not capfd.readouterr().err


def test_the_lock_of_a_killed_fetch_is_free(root, project):
    program = (
        "import sys, os, signal; from pathlib import Path; "
        "from workflow_scripts.locking import sole_fetch; "
        "held = sole_fetch(Path(sys.argv[1]), 'a-set'); held.__enter__(); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program, str(root)], cwd=project)
    assert (root / ".a-set.lock").exists()
    with sole_fetch(root, "a-set"):
        pass
    assert list(root.iterdir()) == []


def test_a_packed_file_of_a_mirror_is_bounded(data_set, root, policy, folder, mirror):
    keys = {"path": "a/one.txt.gz", "stored": "gzip", **known(ONE)}
    entry = data_set(files=[{**keys, "url": "https://example.invalid/one.txt"}])
    # what it holds, and what it is
    for body, message in [(gzip.compress(bytes(10**7)), "not a sound"), (bytes(10**6), "at most")]:
        (folder / "a/one.txt.gz").write_bytes(body)
        with pytest.raises(UserError, match=message):
            fetch(entry, root, mirror("http"), policy=policy)
        assert files_below(root) == []
    (root / "a").mkdir(parents=True, exist_ok=True)
    (root / "a/one.txt.gz").write_bytes(gzip.compress(bytes(10**7)))
    with pytest.raises(UserError, match="holds more than 4000 bytes"):
        fetch(entry, root)


@pytest.fixture
def two_addresses(server, data_set, tmp_path):
    """Return a set of a file, or of an archive that holds it, that has two addresses."""

    def make(kind):
        if kind == "file":
            body, name = ONE, "one.txt"
        else:
            name = "a.zip"
            body = make_archive(tmp_path / name, {"x/one.txt": ONE}).read_bytes()
        server.files |= {f"first/{name}": Served(body), f"second/{name}": Served(body)}
        block = {"url": [server.url(f"{place}/{name}") for place in ("first", "second")]}
        block |= known(body)
        if kind == "file":
            return data_set(files=[{"path": "a/one.txt", **block}]), name, body
        members = [{"member": "x/one.txt", "path": "a/one.txt"}]
        return data_set(archives=[block | {"members": members}]), name, body

    return make


FAULTS = {
    "absent": {"refusal": (404, 99)},
    "forbidden": {"refusal": (403, 99)},
    "busy": {"refusal": (503, 99)},
    "other size": {"swapped": TWO + b"x"},
    "other bytes": {"swapped": b"x"},
    "broken off": {"cut": (100, 99), "ranges": False},
}


@pytest.mark.parametrize("kind", ["file", "archive"])
@pytest.mark.parametrize("fault", FAULTS)
def test_the_second_address_serves_what_the_first_does_not(
    two_addresses, root, policy, server, capfd, kind, fault
):
    entry, name, body = two_addresses(kind)
    faults = dict(FAULTS[fault])
    if fault == "other bytes":
        # of the right number
        faults["swapped"] = body[:-1] + b"?"
    server.files[f"first/{name}"] = Served(body, **faults)
    [record] = fetch(entry, root, policy=policy)
    assert (root / "a/one.txt").read_bytes() == ONE
    assert record["url"] == server.url(f"second/{name}")
    assert files_below(root)[-1] == "a/one.txt"
    assert "the next address is tried" in capfd.readouterr().err
    # not the rest of what the first one began
    assert server.ranges_asked(f"second/{name}") == [None]


@pytest.mark.parametrize("fault", FAULTS)
def test_after_a_fault_is_mended_a_rerun_succeeds(data_set, root, policy, server, fault):
    entry = data_set(files=[{"path": "a/two.txt", "url": server.url("two.txt"), **known(TWO)}])
    server.files["two.txt"] = Served(TWO, **FAULTS[fault])
    with pytest.raises(UserError) as caught:
        fetch(entry, root, policy=policy)
    assert "\n" not in str(caught.value)
    kept = ["a/two.txt.part", "a/two.txt.part.validator"]
    assert files_below(root) == (kept if fault == "broken off" else [])
    server.files["two.txt"] = Served(TWO)
    fetch(entry, root, policy=policy)
    assert files_below(root) == ["a/two.txt"]
    assert (root / "a/two.txt").read_bytes() == TWO


def test_one_error_names_all_addresses_that_do_not_serve_a_file(two_files, root, policy, server):
    server.files["data/one.txt"] = Served(ONE, refusal=(404, 99))
    server.files["data/uno.txt"] = Served(ONE, swapped=ONE[:-1] + b"?")
    with pytest.raises(UserError) as caught:
        fetch(two_files, root, policy=policy)
    said = str(caught.value)
    assert said.startswith("a/one.txt: none of its 2 sources serves it (")
    assert f"{server.url('data/one.txt')}: the server answered 404" in said
    assert f"{server.url('data/uno.txt')}: sha256 is" in said
    assert files_below(root) == []


def test_a_mirror_s_password_is_not_recorded(two_files, root, policy, server, folder):
    server.files |= {f"mirror/a/{name}.txt": Served(body) for name, body in MIRRORED.items()}
    address = server.url("mirror/?token=secret").replace("//", "//user:secret@")
    records = fetch(two_files, root, open_mirror(address), policy=policy)
    assert [record["url"] for record in records] == [
        server.url(f"mirror/a/{name}.txt") for name in MIRRORED
    ]
    assert {headers["query"] for _, headers in server.requests} == {"token=secret"}
    for nonsense in ("http://u:secret/1@host/x", "https://u:1/secret@host", "http://[secret/"):
        with pytest.raises(UserError, match="--mirror: not a web address") as error:
            open_mirror(nonsense)
        assert "secret" not in str(error.value)
    with pytest.raises(UserError, match="no such folder") as error:
        open_mirror("ftp://user:secret@host/x")
    assert "secret" not in str(error.value)


MIRRORED = {"one": ONE, "two": TWO}


@pytest.mark.parametrize("ending", ["zip", "tar.gz"])
def test_a_full_disk_while_unpacking_keeps_the_archive(
    archived, root, policy, server, monkeypatch, ending
):
    entry = archived(ending)
    with monkeypatch.context() as patch:

        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        patch.setattr(unpacking, "_copied", full)
        with pytest.raises(UserError, match=f"{root}: the disk is full; .* has {len(ONE):,} bytes"):
            fetch(entry, root, policy=policy)
    assert not (root / "a").exists()
    assert len(server.asked(f"data.{ending}")) == 1
    fetch(entry, root, policy=policy)
    assert (root / "a/one.txt").read_bytes() == ONE
    # a complete file is not requested again
    assert len(server.asked(f"data.{ending}")) == 1
    assert not [*root.rglob("*.part")]


@pytest.mark.parametrize("kind", ["file", "archive"])
def test_bytes_are_on_the_disk_before_their_name(
    data_set, archived, server, root, policy, monkeypatch, kind
):
    """A power cut may otherwise leave a name that holds nothing."""
    server.files["one.txt"] = Served(ONE)
    file = {"path": "a/one.txt", "url": "one.txt", **known(ONE)}
    entry = archived() if kind == "archive" else data_set(base=server.url(""), files=[file])
    kept, real = [], {"fsync": os.fsync, "replace": os.replace}

    def fsync(handle):
        kept.append(os.fstat(handle).st_ino)
        real["fsync"](handle)

    def replace(source, target):
        assert os.stat(source).st_ino in kept, target
        real["replace"](source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    fetch(entry, root, policy=policy)
    assert os.stat(root / "a/one.txt").st_ino in kept
