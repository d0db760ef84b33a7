import gzip
import io
import json
import tarfile
import zipfile

import pytest
from faulty_server import Served
from small_registry import files_below, known, sha256

from workflow_scripts.downloads.fetching import fetch
from workflow_scripts.downloads.mirrors import open_mirror
from workflow_scripts.errors import UserError

ONE, TWO = b"one\n" * 1000, b"two\n" * 1000


@pytest.fixture
def root(tmp_path):
    return tmp_path / "root"


@pytest.fixture
def two_files(server, data_set):
    """A set of two files on the server."""
    server.files |= {"data/one.txt": Served(ONE), "data/two.txt": Served(TWO)}
    return data_set(
        base=server.url("data/"),
        files=[
            {"path": "a/one.txt", "url": "one.txt", **known(ONE)},
            {"path": "a/two.txt", "url": "two.txt", **known(TWO)},
        ],
    )


def make_archive(ending, members, links=()):
    raw = io.BytesIO()
    if ending == "zip":
        with zipfile.ZipFile(raw, "w") as archive:
            for name, body in members.items():
                info = zipfile.ZipInfo(name)
                info.external_attr = (0o120777 if name in links else 0o100644) << 16
                archive.writestr(info, body)
    else:
        with tarfile.open(fileobj=raw, mode="w:gz") as archive:
            for name, body in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(body)
                if name in links:
                    info.type, info.linkname, info.size = tarfile.SYMTYPE, "/etc/passwd", 0
                archive.addfile(info, io.BytesIO(body))
    return raw.getvalue()


GOOD_MEMBERS = {"x/one.txt": ONE, "x/two.txt": TWO, "x/readme": b"no"}


@pytest.fixture
def archived(server, data_set):
    """Put an archive on the server; return its set, with hashes of the members as they should be.

    `known_archive` says whether the registry has the hash of the archive.
    """

    def make(ending="zip", members=GOOD_MEMBERS, links=(), known_archive=True):
        body = make_archive(ending, members, links)
        server.files[f"data.{ending}"] = Served(body)
        wanted = [
            {"member": "x/one.txt", "path": "a/one.txt", **known(ONE)},
            {"member": "x/two.txt", "path": "b/two.txt"},
        ]
        bytes_known = known(body) if known_archive else {}
        return data_set(
            archives=[{"url": server.url(f"data.{ending}"), **bytes_known, "members": wanted}]
        )

    return make


def test_files_are_fetched_and_recorded(two_files, root, policy, server):
    records = fetch(two_files, root, policy=policy)
    assert files_below(root) == ["a/one.txt", "a/two.txt"]
    assert (root / "a/two.txt").read_bytes() == TWO
    assert [record["url"] for record in records] == [
        server.url("data/one.txt"),
        server.url("data/two.txt"),
    ]
    assert records[0]["sha256"] == sha256(ONE)
    assert records[0]["size"] == len(ONE)
    assert records[0]["date"].startswith("20")


def test_what_is_there_and_right_is_kept(two_files, root, policy, server):
    (root / "a").mkdir(parents=True)
    (root / "a/one.txt").write_bytes(ONE)
    before = (root / "a/one.txt").stat().st_mtime_ns
    records = fetch(two_files, root, policy=policy)
    assert records[0]["url"] is None and records[1]["url"]
    assert server.asked("data/one.txt") == []
    assert (root / "a/one.txt").stat().st_mtime_ns == before
    server.requests.clear()
    assert [record["url"] for record in fetch(two_files, root, policy=policy)] == [None, None]
    assert server.requests == []


def test_a_file_of_the_users_own_is_never_overwritten(two_files, root, policy, server):
    (root / "a").mkdir(parents=True)
    (root / "a/two.txt").write_bytes(b"mine")
    with pytest.raises(UserError, match=r"a/two\.txt: is there with sha256 .*left as it is") as one:
        fetch(two_files, root, policy=policy)
    assert sha256(b"mine") in str(one.value) and sha256(TWO) in str(one.value)
    assert (root / "a/two.txt").read_bytes() == b"mine"
    assert server.requests == []


def test_a_folder_in_the_place_of_a_file_is_an_error(two_files, root, policy):
    (root / "a/two.txt").mkdir(parents=True)
    with pytest.raises(UserError, match="is not a file"):
        fetch(two_files, root, policy=policy)


@pytest.mark.parametrize(
    "fault",
    [{"cut": (100, 99)}, {"swapped": ONE}, {"refusal": (503, 99)}, {"refusal": (404, 99)}],
    ids=["truncated", "wrong bytes", "busy", "absent"],
)
def test_after_a_fault_is_mended_a_rerun_succeeds(two_files, root, policy, server, fault):
    wanted = Served(TWO, ranges=False)
    for key, value in fault.items():
        setattr(wanted, key, value)
    server.files["data/two.txt"] = wanted
    with pytest.raises(UserError) as caught:
        fetch(two_files, root, policy=policy)
    assert "\n" not in str(caught.value)
    assert not (root / "a/two.txt").exists()
    left = [file for file in files_below(root) if file != "a/one.txt"]
    kept = ["a/two.txt.part", "a/two.txt.part.validator"]
    assert left == (kept if "cut" in fault else [])
    server.files["data/two.txt"] = Served(TWO)
    fetch(two_files, root, policy=policy)
    assert files_below(root) == ["a/one.txt", "a/two.txt"]
    assert (root / "a/two.txt").read_bytes() == TWO


def test_an_unknown_hash_is_noted_and_holds_from_then_on(data_set, server, root, policy):
    server.files["one.txt"] = Served(ONE)
    entry = data_set(files=[{"path": "a/one.txt", "url": server.url("one.txt")}])
    [record] = fetch(entry, root, policy=policy)
    assert record["sha256"] == sha256(ONE)
    assert files_below(root) == [".first-hashes/a-set.json", "a/one.txt"]
    fetch(entry, root, policy=policy)
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
def test_members_are_put_in_place_and_the_archive_is_gone(
    archived, root, policy, server, ending, known_archive
):
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
        ({**GOOD_MEMBERS, "x/../../evil.txt": b"evil"}, (), "leads out of its folder"),
        ({**GOOD_MEMBERS, "x/two.txt": b"/etc/passwd"}, ("x/two.txt",), "not a plain file"),
        ({"x/one.txt": ONE}, (), r"has no member x/two\.txt"),
        ({**GOOD_MEMBERS, "x/one.txt": ONE + b"more"}, (), "is larger than 4000 bytes"),
        ({**GOOD_MEMBERS, "x/one.txt": TWO}, (), r"sha256 of member x/one\.txt is"),
    ],
    ids=["parent", "parent inside", "link", "missing", "larger", "wrong bytes"],
)
def test_a_bad_archive_leaves_nothing_and_a_mended_one_is_taken(
    archived, root, policy, ending, members, links, message
):
    entry = archived(ending, members, links, known_archive=False)
    with pytest.raises(UserError, match=message) as caught:
        fetch(entry, root, policy=policy)
    assert "\n" not in str(caught.value)
    assert files_below(root.parent) == ["registry.yaml"]
    fetch(archived(ending, known_archive=False), root, policy=policy)
    assert (root / "a/one.txt").read_bytes() == ONE


def test_a_truncated_archive_is_resumed_by_the_next_run(archived, root, policy, server):
    entry = archived()
    server.files["data.zip"].cut = (3000, 99)
    server.files["data.zip"].ranges = False
    with pytest.raises(UserError, match="given up"):
        fetch(entry, root, policy=policy)
    assert files_below(root) == ["archives/data.zip.part", "archives/data.zip.part.validator"]
    server.files["data.zip"] = Served(server.files["data.zip"].body)
    fetch(entry, root, policy=policy)
    assert server.ranges_asked("data.zip")[-1] == "bytes=3000-"
    assert files_below(root) == [".first-hashes/a-set.json", "a/one.txt", "b/two.txt"]


def test_a_member_of_the_users_own_is_never_overwritten(archived, root, policy, server):
    (root / "a").mkdir(parents=True)
    (root / "a/one.txt").write_bytes(b"mine")
    with pytest.raises(UserError, match="left as it is"):
        fetch(archived(), root, policy=policy)
    assert server.requests == []
    assert files_below(root) == ["a/one.txt"]


class TestMirror:
    @pytest.fixture
    def folder(self, tmp_path):
        folder = tmp_path / "a mirror"
        (folder / "a").mkdir(parents=True)
        return folder

    @pytest.fixture
    def mirror(self, folder, server):
        """The same mirror as a folder, as its file address, or from the server."""

        def make(kind):
            if kind == "http":
                for file in files_below(folder):
                    body = (folder / file).read_bytes()
                    server.files[f"mirror/{file}"] = Served(body)
                return open_mirror(server.url("mirror/"))
            return open_mirror(folder.as_uri() if kind == "file" else str(folder))

        return make

    @pytest.mark.parametrize("kind", ["folder", "file", "http"])
    def test_it_comes_first_and_the_url_second(
        self, two_files, root, policy, server, folder, mirror, kind
    ):
        (folder / "a/one.txt").write_bytes(ONE)
        records = fetch(two_files, root, mirror(kind), policy=policy)
        assert records[0]["url"].endswith("/a/one.txt")
        assert records[1]["url"] == server.url("data/two.txt")
        assert server.asked("data/one.txt") == []
        assert files_below(root) == ["a/one.txt", "a/two.txt"]

    @pytest.mark.parametrize("kind", ["folder", "http"])
    def test_its_bytes_are_checked_too(self, two_files, root, policy, folder, mirror, kind):
        (folder / "a/one.txt").write_bytes(ONE[:-1] + b"x")
        with pytest.raises(UserError, match=f"expected {sha256(ONE)}"):
            fetch(two_files, root, mirror(kind), policy=policy)
        assert files_below(root) == []

    @pytest.mark.parametrize("kind", ["folder", "http"])
    @pytest.mark.parametrize("unpacked", [True, False])
    def test_it_holds_members_or_the_archive(
        self, archived, root, policy, server, folder, mirror, kind, unpacked
    ):
        entry = archived()
        if unpacked:
            (folder / "b").mkdir()
            (folder / "a/one.txt").write_bytes(ONE)
            (folder / "b/two.txt").write_bytes(TWO)
        else:
            (folder / "archives").mkdir()
            (folder / "archives/data.zip").write_bytes(server.files["data.zip"].body)
        fetch(entry, root, mirror(kind), policy=policy)
        assert (root / "b/two.txt").read_bytes() == TWO
        assert server.asked("data.zip") == []

    @pytest.mark.parametrize("kind", ["folder", "http"])
    def test_a_file_stored_gzipped_is_taken_as_it_is(
        self, data_set, root, policy, folder, mirror, kind
    ):
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
        assert (root / "a/one.txt.gz").read_bytes() == gzip.compress(ONE, 1)

    def test_a_folder_that_is_not_there_is_an_error(self, tmp_path):
        with pytest.raises(UserError, match=r"--mirror .*no such folder"):
            open_mirror(str(tmp_path / "absent"))
        assert open_mirror(None) is None

    def test_offline_takes_it_if_it_is_a_folder(
        self, two_files, root, policy, server, folder, mirror
    ):
        with pytest.raises(
            UserError, match=r"2 files missing: .*one\.txt, .*two\.txt; run without"
        ):
            fetch(two_files, root, offline=True, policy=policy)
        (folder / "a/one.txt").write_bytes(ONE)
        with pytest.raises(UserError, match=r"1 file missing: [^,]*two\.txt; run without"):
            fetch(two_files, root, mirror("folder"), offline=True, policy=policy)
        assert files_below(root) == []
        (folder / "a/two.txt").write_bytes(TWO)
        fetch(two_files, root, mirror("folder"), offline=True, policy=policy)
        fetch(two_files, root, offline=True, policy=policy)
        assert server.requests == []
        with pytest.raises(UserError, match="an address is not offline"):
            fetch(two_files, root, mirror("http"), offline=True, policy=policy)

    def test_offline_names_members_of_archives(self, archived, root, policy, folder, mirror):
        entry = archived()
        (folder / "a/one.txt").write_bytes(ONE)
        with pytest.raises(UserError, match=r"1 file missing: [^,]*b/two\.txt;"):
            fetch(entry, root, mirror("folder"), offline=True, policy=policy)

    def test_offline_still_checks_what_is_there(self, two_files, root, policy):
        (root / "a").mkdir(parents=True)
        (root / "a/one.txt").write_bytes(TWO)
        with pytest.raises(UserError, match="left as it is"):
            fetch(two_files, root, offline=True, policy=policy)


class TestGated:
    @pytest.fixture
    def gated(self, data_set):
        obtain = "ask at https://example.org and put both files into a/ below the data root"
        return data_set(
            gated=True, obtain=obtain, files=[{"path": "a/one.txt"}, {"path": "a/two.txt"}]
        )

    def test_a_missing_one_says_where_to_get_it(self, gated, root, policy):
        (root / "a").mkdir(parents=True)
        (root / "a/one.txt").write_bytes(ONE)
        for offline in (False, True):
            message = "'a-set' cannot be downloaded: ask at .*; 1 file missing: [^,]*a/two.txt$"
            with pytest.raises(UserError, match=message):
                fetch(gated, root, offline=offline, policy=policy)
        (root / "a/two.txt").write_bytes(TWO)
        assert [record["sha256"] for record in fetch(gated, root)] == [sha256(ONE), sha256(TWO)]
        # what was put there by hand may be put there anew
        assert files_below(root) == ["a/one.txt", "a/two.txt"]

    def test_a_mirror_of_the_house_may_have_it(self, gated, root, policy, server):
        server.files["mirror/a/one.txt"] = Served(ONE)
        mirror = open_mirror(server.url("mirror"))
        with pytest.raises(UserError, match=r"cannot be downloaded: ask at .*two\.txt.*404"):
            fetch(gated, root, mirror, policy=policy)
        server.files["mirror/a/two.txt"] = Served(TWO)
        fetch(gated, root, mirror, policy=policy)
        assert (root / "a/two.txt").read_bytes() == TWO
