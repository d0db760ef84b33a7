import bz2
import gzip
import io
import struct
import subprocess
import sys
import tarfile
import zipfile
from contextlib import suppress

import pytest
from archives import make_archive
from hypothesis import given
from hypothesis import strategies as st
from small_registry import files_below

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


def tar_header(kind, size, name=b"x"):
    info = tarfile.TarInfo(name.decode())
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def header_of_zeros(kind):
    """A tar whose first header is followed by so many zeros that belong to the header."""
    return tar_header(kind, HUGE) + bytes(HUGE) + tar_header(tarfile.REGTYPE, 0, b"one.txt")


def sparse_map():
    """A tar with a single header that continues in 40,000 blocks of 21 holes each."""
    first = bytearray(tar_header(tarfile.GNUTYPE_SPARSE, 0, b"one.txt"))
    first[482] = 1
    first[148:156] = b" " * 8
    first[148:156] = b"%06o\0 " % sum(first)
    block = (b"00000000001\0" * 42).ljust(504, b"\0") + b"\1".ljust(8, b"\0")
    return bytes(first) + block * 40_000


def zip_of_one(method):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", method, compresslevel=1) as archive:
        archive.writestr("one.txt", bytes(HUGE))
    return raw.getvalue()


def zip_of_many():
    """A zip whose directory has 400,000 entries."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("o", b"")
    whole = raw.getvalue()
    start, end = whole.index(b"PK\x01\x02"), whole.index(b"PK\x05\x06")
    directory = whole[start:end] * 400_000
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, len(directory), start, 0)
    return whole[:start] + directory + tail


HUGE = 60 * 10**6
BOMBS = {
    "bzip2 in a zip": ("zip", lambda: zip_of_one(zipfile.ZIP_BZIP2), "uses a compression method"),
    "lzma in a zip": ("zip", lambda: zip_of_one(zipfile.ZIP_LZMA), "uses a compression method"),
    "entries of a zip": ("zip", zip_of_many, "has more metadata than"),
    "extended header": (
        "tar.gz",
        lambda: header_of_zeros(tarfile.XHDTYPE),
        "has more metadata than",
    ),
    "global header": ("tar.gz", lambda: header_of_zeros(tarfile.XGLTYPE), "has more metadata than"),
    "long name": (
        "tar.bz2",
        lambda: header_of_zeros(tarfile.GNUTYPE_LONGNAME),
        "has more metadata",
    ),
    "sparse map": ("tar.gz", sparse_map, "has more metadata than"),
}
PACKED = {"tar.gz": lambda raw: gzip.compress(raw, 1), "tar.bz2": lambda raw: bz2.compress(raw, 1)}
UNPACK = """
import resource, sys
from pathlib import Path
from workflow_scripts.downloads.unpacking import unpack
from workflow_scripts.errors import UserError
resource.setrlimit(resource.RLIMIT_AS, (64 * 2**20, 64 * 2**20))
try:
    unpack(Path(sys.argv[1]), sys.argv[1], {"one.txt": None}, Path(sys.argv[2]))
except UserError as error:
    print(error)
"""


@pytest.mark.parametrize("bomb", BOMBS)
def test_what_is_small_on_disk_takes_little_memory(tmp_path, folder, project, bomb):
    ending, make, message = BOMBS[bomb]
    path = tmp_path / f"a.{ending}"
    path.write_bytes(PACKED.get(ending, bytes)(make()))
    # an interpreter with its libraries and a copy of what unpacks to HUGE do not fit together
    command = [sys.executable, "-c", UNPACK, str(path), str(folder)]
    result = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert "Error" not in result.stderr
    assert message in result.stdout


def test_a_header_that_leads_backwards_ends(tmp_path, folder):
    """A negative size would bring tarfile to the same header for ever."""
    header = bytearray(tar_header(tarfile.REGTYPE, 0, b"one.txt"))
    header[124:136] = b"\xff" * 10 + b"\xfe\x00"  # -512
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path = tmp_path / "a.tar"
    path.write_bytes(tar_header(tarfile.REGTYPE, 0) + bytes(header) + bytes(1024))
    with pytest.raises(UserError, match=r"a\.tar: cannot be unpacked"):
        unpack(path, path.name, {"one.txt": None}, folder)


def extended(records, name=b"one.txt"):
    """A tar of one empty member after an extended header of records."""
    body = b"".join(b"%d %s\n" % (len(one) + 3 + (len(one) > 6), one) for one in records)
    start = tar_header(tarfile.XHDTYPE, len(body)) + body + bytes(-len(body) % 512)
    return start + tar_header(tarfile.REGTYPE, 0, name) + bytes(1024)


NONSENSE = {
    "no number": extended([b"GNU.sparse.size=abc"]),
    "no numbers": extended([b"GNU.sparse.map=1,x"]),
    "no text": extended([b"hdrcharset=\xff"]),
    "a size of 30 digits": extended([b"size=" + b"9" * 30]),
    "headers that end nowhere": tar_header(tarfile.XHDTYPE, 0) * 1500,
    "a map that ends early": sparse_map()[:5000],
}


@pytest.mark.parametrize("case", NONSENSE)
def test_a_header_of_nonsense_is_one_error_or_none(tmp_path, folder, case):
    path = tmp_path / "a.tar"
    path.write_bytes(NONSENSE[case])
    with suppress(UserError):
        unpack(path, path.name, {"one.txt": None}, folder, 10**6)


def test_a_name_that_is_not_text_is_one_error(tmp_path, folder):
    path = make_archive(tmp_path / "a.zip", {"one.txt": TEXT, "\u00fc": b""})
    path.write_bytes(path.read_bytes().replace("\u00fc".encode(), b"\xff\xff"))
    with pytest.raises(UserError, match=r"a\.zip: cannot be unpacked"):
        unpack(path, path.name, {"one.txt": None}, folder)
