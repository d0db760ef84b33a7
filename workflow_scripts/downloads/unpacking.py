"""Taking named members out of archives whose content nobody vouches for."""

import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError

# The largest member taken where the registry knows no size (fastText's are about 7 GB).
LARGEST_MEMBER = 20 * 2**30

KINDS = {".zip": "zip", ".tar": "tar", ".tar.gz": "tar", ".tgz": "tar", ".tar.bz2": "tar"}
KINDS |= {".tbz2": "tar", ".gz": "gz"}
_CHUNK = 2**20
# RuntimeError: zipfile's, of an encrypted member or a compression that is not known
_DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError)
_DAMAGE += (EOFError, OSError, RuntimeError)


def archive_kind(name: str) -> str:
    """Return zip, tar or gz by the ending of an archive's name."""
    ending = max((end for end in KINDS if name.endswith(end)), key=len, default=None)
    if ending is None:
        raise UserError(f"{name}: not an archive known here ({', '.join(KINDS)})")
    return KINDS[ending]


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
    taken whatever it is called. An archive that holds an absolute path or `..` anywhere is refused.
    """
    targets = {member: folder / str(number) for number, member in enumerate(members)}
    try:
        with closing(_opened_members(archive, name, list(members))) as found:
            for member, is_file, size, stream in found:
                known = members[member]
                limit = largest if known is None else known
                if not is_file:
                    raise UserError(
                        f"{name}: member {member} is not a plain file but a link, device or "
                        "folder; nothing was unpacked: get the archive from elsewhere (--mirror)"
                    )
                if size > limit or not _copied(stream, targets[member], limit):
                    raise UserError(
                        f"{name}: member {member} is larger than {limit} bytes; nothing was "
                        "unpacked: the archive has changed or is not what it says, correct the "
                        "registry or take a mirror"
                    )
    except _DAMAGE as error:
        said = f"{name}: cannot be unpacked ({error}); run again to fetch it anew"
        raise UserError(said) from error
    return targets


def _opened_members(
    archive: Path, name: str, wanted: list[str]
) -> Generator[tuple[str, bool, int, Callable[[], Any]], None, None]:
    """Yield wanted members: name, whether they are plain files, the told size, how to open them."""
    kind = archive_kind(name)
    if kind == "zip":
        with zipfile.ZipFile(archive) as zipped:
            infos = {info.filename: info for info in zipped.infolist()}
            _check_names(infos, wanted, name)
            for member in wanted:
                info = infos[member]
                plain = stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG)
                is_file = plain and not info.is_dir()
                yield member, is_file, info.file_size, partial(zipped.open, info)
    elif kind == "tar":
        with tarfile.open(archive) as tarred:
            # a leading ./ is how tar names the folder that it was started in
            entries = {entry.name.removeprefix("./"): entry for entry in tarred}
            _check_names(entries, wanted, name)
            for member in wanted:
                entry = entries[member]
                yield member, entry.isreg(), entry.size, partial(tarred.extractfile, entry)
    else:
        if len(wanted) != 1:
            raise UserError(f"{name}: a .gz holds one file, {len(wanted)} are asked for")
        if archive.stat().st_size == 0:
            raise EOFError("it is empty")  # which the gzip module takes for an empty file
        yield wanted[0], True, 0, partial(gzip.open, archive)


def _check_names(entries: Iterable[str], wanted: Iterable[str], archive: str) -> None:
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


def _copied(stream: Callable[[], Any], target: Path, limit: int) -> bool:
    """Copy a member, whatever size the archive told; False if it goes on beyond the limit."""
    written = 0
    with stream() as opened, open(target, "wb") as output:
        while chunk := opened.read(_CHUNK):
            written += len(chunk)
            if written > limit:
                return False
            output.write(chunk)
    return True
