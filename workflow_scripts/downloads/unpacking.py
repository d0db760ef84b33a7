"""Taking named members out of archives whose content nobody vouches for."""

import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO

from workflow_scripts.errors import UserError

# The largest member taken where the registry knows no size (fastText's are about 7 GB).
LARGEST_MEMBER = 20 * 2**30

_KINDS = {
    ".zip": "zip",
    ".tar": "tar",
    ".tar.gz": "tar",
    ".tgz": "tar",
    ".tar.bz2": "tar",
    ".tbz2": "tar",
    ".gz": "gz",
}
_CHUNK = 2**20
_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    # zipfile: an encrypted member, or a compression that is not known
    RuntimeError,
)


def archive_kind(name: str) -> str:
    """Return zip, tar or gz by the ending of an archive's name; `UserError` for another."""
    ending = max((end for end in _KINDS if name.endswith(end)), key=len, default=None)
    if ending is None:
        raise UserError(f"{name}: not an archive known here ({', '.join(_KINDS)})")
    return _KINDS[ending]


def unpack(
    archive: Path,
    name: str,
    members: Mapping[str, int | None],
    folder: Path,
    largest: int = LARGEST_MEMBER,
) -> dict[str, Path]:
    """Write members of an archive into an existing folder; return the file of each.

    `name` is what the archive is called (its ending says what it is), `members` the wanted names
    with their sizes in bytes, None where unknown (then at most `largest`). The files have names
    of their own, so that nothing in the archive decides where bytes go. The one member of a gz is
    taken whatever it is called.

    Raises `UserError` for a damaged archive, one that holds an absolute path or `..` anywhere, a
    wanted member that is missing, is a link, a device or a folder, or is larger than expected.
    """
    targets = {member: folder / str(number) for number, member in enumerate(members)}
    limits = {member: largest if size is None else size for member, size in members.items()}
    kind = archive_kind(name)
    try:
        if kind == "zip":
            _unpack_zip(archive, name, targets, limits)
        elif kind == "tar":
            _unpack_tar(archive, name, targets, limits)
        else:
            _unpack_gz(archive, name, targets, limits)
    except _DAMAGE as error:
        raise UserError(
            f"{name}: cannot be unpacked ({error}); run again to fetch it anew"
        ) from error
    return targets


def _unpack_zip(
    archive: Path, name: str, targets: Mapping[str, Path], limits: Mapping[str, int]
) -> None:
    with zipfile.ZipFile(archive) as opened:
        entries = {info.filename: info for info in opened.infolist()}
        _check_names(entries, targets, name)
        for member, target in targets.items():
            info = entries[member]
            mode = info.external_attr >> 16
            plain = stat.S_IFMT(mode) in (0, stat.S_IFREG)
            _check_member(member, name, plain and not info.is_dir(), info.file_size, limits[member])
            with opened.open(info) as stream:
                _write(stream, target, member, name, limits[member])


def _unpack_tar(
    archive: Path, name: str, targets: Mapping[str, Path], limits: Mapping[str, int]
) -> None:
    with tarfile.open(archive) as opened:
        # a leading ./ is how tar names the folder that it was started in
        entries = {info.name.removeprefix("./"): info for info in opened}
        _check_names(entries, targets, name)
        for member, target in targets.items():
            info = entries[member]
            _check_member(member, name, info.isreg(), info.size, limits[member])
            stream = opened.extractfile(info)
            assert stream is not None
            _write(stream, target, member, name, limits[member])


def _unpack_gz(
    archive: Path, name: str, targets: Mapping[str, Path], limits: Mapping[str, int]
) -> None:
    if len(targets) != 1:
        raise UserError(f"{name}: a .gz holds one file, {len(targets)} are asked for")
    if archive.stat().st_size == 0:
        raise EOFError("it is empty")  # which the gzip module takes for an empty file
    for member, target in targets.items():
        with gzip.open(archive) as stream:
            _write(stream, target, member, name, limits[member])


def _check_names(entries: Iterable[str], wanted: Iterable[str], archive: str) -> None:
    """Refuse an archive with a path that leads out of a folder, and one that lacks a member."""
    found = set(entries)
    for entry in sorted(found):
        path = entry.replace("\\", "/")
        if path.startswith("/") or path[1:2] == ":" or ".." in path.split("/"):
            raise UserError(
                f"{archive}: holds the path {entry!r}, which leads out of its folder; nothing was "
                "unpacked: do not trust this archive, get it from elsewhere (--mirror)"
            )
    missing = [member for member in wanted if member not in found]
    if missing:
        raise UserError(
            f"{archive}: has no member {', '.join(missing)}; the archive has changed: correct the "
            "registry or take a mirror (--mirror)"
        )


def _check_member(member: str, archive: str, is_file: bool, size: int, limit: int) -> None:
    if not is_file:
        raise UserError(
            f"{archive}: member {member} is not a plain file but a link, device or folder; nothing "
            "was unpacked: get the archive from elsewhere (--mirror)"
        )
    if size > limit:
        raise _too_large(member, archive, limit)


def _write(stream: IO[bytes], target: Path, member: str, archive: str, limit: int) -> None:
    """Copy a member; what an archive says of its sizes is not relied on."""
    written = 0
    with open(target, "wb") as output:
        while chunk := stream.read(_CHUNK):
            written += len(chunk)
            if written > limit:
                raise _too_large(member, archive, limit)
            output.write(chunk)


def _too_large(member: str, archive: str, limit: int) -> UserError:
    return UserError(
        f"{archive}: member {member} is larger than {limit} bytes; nothing was unpacked: the "
        "archive has changed or is not what it says, correct the registry or take a mirror"
    )
