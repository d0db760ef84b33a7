"""Entries of registries and archives for tests, and what is below a folder."""

import gzip
import hashlib
import io
import tarfile
import zipfile


def sha256(body):
    return hashlib.sha256(body).hexdigest()


def known(body):
    """The keys of a registry that tell of bytes."""
    return {"sha256": sha256(body), "size": len(body), "verified": True}


ENTRY = {"title": "A set", "task": "similarity", "languages": ["en"], "licence": "CC0"}
ENTRY |= {"citation": "Nobody 2021", "homepage": "https://example.org", "gated": False}


def files_below(folder):
    """Every file below a folder, by its path relative to it."""
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def make_archive(path, members, kinds=()):
    """Write an archive of members, those of `kinds` ({name: type of tar}) links or devices."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, body in members.items():
                info = zipfile.ZipInfo(name)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = (0o120777 if name in kinds else 0o100644) << 16
                archive.writestr(info, body)
        return path
    if path.name == "a.gz":
        path.write_bytes(gzip.compress(*members.values()))
        return path
    mode = {".gz": "w:gz", ".tgz": "w:gz", ".bz2": "w:bz2"}.get(path.suffix, "w")
    with tarfile.open(path, mode) as archive:
        for name, body in members.items():
            info = tarfile.TarInfo(name)
            if name in kinds:
                info.type, info.linkname, body = kinds[name], "/etc/passwd", b""
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
    return path
