import gzip
import tarfile
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_registry import files_below, make_archive

from workflow_scripts.downloads.unpacking import unpack
from workflow_scripts.errors import UserError

TEXT = b"one\ttwo\n" * 1000


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "out"
    path.mkdir()
    return path


ENDINGS = ["zip", "tar", "tar.gz", "tgz", "tar.bz2"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_named_members_are_unpacked_and_no_others(tmp_path, folder, ending):
    # a leading ./ in a tar is the folder itself
    one = "x/one.txt" if ending == "zip" else "./x/one.txt"
    path = make_archive(tmp_path / f"a.{ending}", {one: TEXT, "x/two.txt": b"", "three": b"no"})
    found = unpack(path, path.name, {"x/one.txt": len(TEXT), "x/two.txt": None}, folder)
    assert found["x/one.txt"].read_bytes() == TEXT
    assert found["x/two.txt"].read_bytes() == b""
    assert len(files_below(folder)) == 2
    assert all(file.parent == folder for file in found.values())


def test_a_gz_holds_one_file(tmp_path, folder):
    path = tmp_path / "vectors.bin.gz"
    path.write_bytes(gzip.compress(TEXT))
    assert unpack(path, path.name, {"any": None}, folder)["any"].read_bytes() == TEXT
    with pytest.raises(UserError, match="holds one file, 2 are asked for"):
        unpack(path, path.name, {"a": None, "b": None}, folder)
    with pytest.raises(UserError, match="not an archive known here"):
        unpack(path, "a.rar", {"a": None}, folder)


UNSAFE = ["../evil.txt", "x/../../evil.txt", "/tmp/evil.txt", "..\\evil.txt", "C:/evil.txt"]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("evil", UNSAFE)
def test_a_path_that_leads_out_condemns_the_archive(tmp_path, folder, ending, evil):
    path = make_archive(tmp_path / f"a.{ending}", {"one.txt": TEXT, evil: b"evil"})
    with pytest.raises(UserError, match="leads out of its folder; nothing was unpacked"):
        unpack(path, path.name, {"one.txt": None}, folder)
    assert files_below(tmp_path) == [path.name]


KINDS = "LNKTYPE CHRTYPE BLKTYPE FIFOTYPE DIRTYPE"


@pytest.mark.parametrize(
    ("ending", "kind"),
    [*((one, "SYMTYPE") for one in ENDINGS), *(("tar", kind) for kind in KINDS.split())],
)
def test_links_devices_and_folders_are_no_members(tmp_path, folder, ending, kind):
    kinds = {"one.txt": getattr(tarfile, kind)}
    path = make_archive(tmp_path / f"a.{ending}", {"one.txt": b"x"}, kinds)
    with pytest.raises(UserError, match=r"member one\.txt is not a plain file but a link"):
        unpack(path, path.name, {"one.txt": None}, folder)
    assert files_below(folder) == []


@pytest.mark.parametrize("ending", [*ENDINGS, "gz"])
def test_a_member_beyond_the_limit_is_refused(tmp_path, folder, ending):
    path = make_archive(tmp_path / f"a.{ending}", {"one.txt": TEXT})
    for expected, largest in [(len(TEXT) - 1, 10**9), (None, len(TEXT) - 1)]:
        with pytest.raises(UserError, match=f"larger than {len(TEXT) - 1} bytes"):
            unpack(path, path.name, {"one.txt": expected}, folder, largest)
    unpack(path, path.name, {"one.txt": None}, folder, len(TEXT))


def test_a_zip_that_lies_about_a_size_cannot_fill_the_disk(tmp_path, folder):
    path = make_archive(tmp_path / "a.zip", {"one.txt": TEXT})
    raw = path.read_bytes()
    told = len(TEXT).to_bytes(4, "little")
    assert raw.count(told) == 2
    path.write_bytes(raw.replace(told, (10).to_bytes(4, "little")))
    with pytest.raises(UserError):
        unpack(path, path.name, {"one.txt": 10}, folder)
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 10


@given(data=st.data(), ending=st.sampled_from([*ENDINGS, "gz"]))
def test_damage_is_one_error_or_none(tmp_path_factory, data, ending):
    """A flipped byte or a cut gives an error of ours, or hit what does not matter."""
    tmp_path = tmp_path_factory.mktemp("damage")
    path = make_archive(tmp_path / f"a.{ending}", {"one.txt": TEXT})
    raw = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, len(raw) - 1))
    raw[position] ^= data.draw(st.integers(1, 255))
    if data.draw(st.booleans()):
        del raw[position:]
    path.write_bytes(raw)
    with suppress(UserError):
        found = unpack(path, path.name, {"one.txt": None}, tmp_path, 10**6)
        # a tar has no checksum of its members
        if ending in ("zip", "gz"):
            assert found["one.txt"].read_bytes() == TEXT


def test_an_encrypted_member_is_one_error(tmp_path, folder):
    path = make_archive(tmp_path / "a.zip", {"one.txt": TEXT})
    raw = bytearray(path.read_bytes())
    for signature, offset in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)]:
        raw[raw.index(signature) + offset] |= 1
    path.write_bytes(raw)
    with pytest.raises(UserError, match=r"cannot be unpacked .*encrypted"):
        unpack(path, path.name, {"one.txt": None}, folder)
