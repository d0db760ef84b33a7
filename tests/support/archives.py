"""Archives of every kind, for tests and for the fuzz target."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

_TAR_MODES = {".gz": "w:gz", ".tgz": "w:gz", ".bz2": "w:bz2"}


def make_archive(
    path: Path, members: Mapping[str, bytes], kinds: Mapping[str, bytes] | None = None
) -> Path:
    """Write an archive of members, those of `kinds` ({name: type of tar}) links or devices.

    The name's ending says which: .zip, .tar and packed ones, or .gz, which takes one member.
    """
    kinds = kinds or {}
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, body in members.items():
                info = zipfile.ZipInfo(name)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = (0o120777 if name in kinds else 0o100644) << 16
                archive.writestr(info, body)
        return path
    if path.suffix == ".gz" and not path.stem.endswith(".tar"):
        path.write_bytes(gzip.compress(*members.values()))
        return path
    with tarfile.open(path, _TAR_MODES.get(path.suffix, "w")) as archive:
        for name, body in members.items():
            info = tarfile.TarInfo(name)
            if name in kinds:
                info.type, info.linkname, body = kinds[name], "/etc/passwd", b""
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
    return path
