"""Bringing the files of one data set below the data root, from their URLs or from a mirror."""

import gzip
import hashlib
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workflow_scripts.downloads.mirrors import Mirror, check_offline
from workflow_scripts.downloads.registry import DataSet, RegisteredArchive, RegisteredFile
from workflow_scripts.downloads.transfer import AbsentError, Policy, discard, download, finish
from workflow_scripts.downloads.unpacking import unpack
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_file, read_json, sha256_of, write_json

# Below the data root: hashes of first downloads, for files whose hash nobody knew before.
FIRST_HASHES = ".first-hashes"
ARCHIVES = "archives"

Record = dict[str, Any]


def fetch(
    data_set: DataSet,
    root: Path,
    mirror: Mirror | None = None,
    offline: bool = False,
    policy: Policy | None = None,
) -> list[Record]:
    """Bring what is missing of a data set below `root`, and check what is there.

    Returns for each file a record: path, url (None for a file that was there), sha256, size and
    date. What the mirror lacks comes from its own URL, unless `offline`. A file that is there is
    never overwritten. The hash of a file that the registry has none for is noted at its first
    download, below the root, and holds from then on.

    Raises `UserError` for a file that is there with other bytes, for a gated set that is not there
    (with the way to get it), for what is missing offline (all of it at once), and for whatever
    goes wrong in a download or an archive.
    """
    check_offline(mirror, offline)
    return _Fetching(data_set, root, mirror, offline, policy).run()


@dataclass(frozen=True)
class _Source:
    """An address to try; `as_stored` if it holds the file in the form that the root has."""

    url: str
    as_stored: bool


def _sources(path: str, url: str | None, mirror: Mirror | None, offline: bool) -> list[_Source]:
    """Return where to look for a path: the mirror, then the URL of its own."""
    sources = []
    if mirror is not None and mirror.may_have(path):
        sources.append(_Source(mirror.url_of(path), as_stored=True))
    if url is not None and not offline:
        sources.append(_Source(url, as_stored=False))
    return sources


def files_without_source(
    data_set: DataSet, root: Path, mirror: Mirror | None, offline: bool
) -> list[Path]:
    """Return the files of a data set that are neither below `root` nor can be fetched.

    A file counts as one that can be fetched where there is an address to try, or where the mirror
    is a folder that has it (or its archive).
    """
    chances = [(file, _sources(file.path, file.url, mirror, offline)) for file in data_set.files]
    for archive in data_set.archives:
        whole = _sources(f"{ARCHIVES}/{archive.name}", archive.url, mirror, offline)
        for file in archive.members.values():
            chances.append((file, [*whole, *_sources(file.path, None, mirror, offline)]))
    paths = [root / file.path for file, sources in chances if not sources]
    return [path for path in paths if not path.exists()]


class _Fetching:
    """One data set on its way below a root; `records` fills with its files by path."""

    def __init__(
        self,
        data_set: DataSet,
        root: Path,
        mirror: Mirror | None,
        offline: bool,
        policy: Policy | None,
    ) -> None:
        self.data_set = data_set
        self.root = root
        self.mirror = mirror
        self.offline = offline
        self.policy = policy
        self.first_hashes = _FirstHashes(root, data_set.name)
        self.records: dict[str, Record] = {}

    def run(self) -> list[Record]:
        for file in self.data_set.all_files:
            if (self.root / file.path).exists():
                self.records[file.path] = self._kept(file)
        self._refuse_what_cannot_be_had()
        try:
            for file in self.data_set.files:
                if file.path not in self.records:
                    self._fetch_file(file, self._sources(file.path, file.url))
            for archive in self.data_set.archives:
                self._fetch_members(archive)
        except AbsentError as error:
            if self.data_set.gated:
                raise self._not_open(str(error)) from error
            raise
        return [self.records[file.path] for file in self.data_set.all_files]

    def _sources(self, path: str, url: str | None) -> list[_Source]:
        return _sources(path, url, self.mirror, self.offline)

    def _refuse_what_cannot_be_had(self) -> None:
        """Raise `UserError` that names everything missing for which there is no source."""
        found = files_without_source(self.data_set, self.root, self.mirror, self.offline)
        if not found:
            return
        lost = [str(file) for file in found]
        files = f"{len(lost)} file{'s' * (len(lost) > 1)} missing: {', '.join(lost)}"
        if self.data_set.gated:
            raise self._not_open(files)
        raise UserError(
            f"data set {self.data_set.name!r}, offline: {files}; run without --offline, or put "
            "them there or into a mirror folder (--mirror)"
        )

    def _not_open(self, missing: str) -> UserError:
        obtain = self.data_set.obtain
        return UserError(
            f"data set {self.data_set.name!r} cannot be downloaded: {obtain}; {missing}"
        )

    def _kept(self, file: RegisteredFile) -> Record:
        """Return the record of a file that is there; `UserError` if it is not the right one."""
        path = self.root / file.path
        if not path.is_file():
            raise UserError(f"{path}: is not a file; move it away")
        sha256, size = _content(file, path)
        expected = self.first_hashes.expected(file.path, file.sha256)
        if expected not in (None, sha256):
            origin = "the registry has" if file.sha256 else f"{self.first_hashes.path} noted"
            raise UserError(
                f"{path}: is there with sha256 {sha256}, {origin} {expected}; it is left as it is: "
                "move it away to fetch the right one, or leave this set out if the file is yours"
            )
        return _record(file, None, sha256, size)

    def _download(
        self,
        sources: Sequence[_Source],
        part: Path,
        checks_of: Callable[[_Source], tuple[str | None, int | None]],
    ) -> _Source:
        """Download from the first source that has the file; return it, or raise `AbsentError`.

        `checks_of` gives the hash and the size that are expected of what a source sends.
        """
        *first, last = sources
        for source in first:
            with suppress(AbsentError):
                download(source.url, part, *checks_of(source), self.policy)
                return source
        download(last.url, part, *checks_of(last), self.policy)
        return last

    def _fetch_file(self, file: RegisteredFile, sources: Sequence[_Source]) -> None:
        """Bring one file from the first source that has it; `AbsentError` if none has."""
        path = self.root / file.path
        part = path.with_name(path.name + ".part")
        expected = self.first_hashes.expected(file.path, file.sha256)

        def checks_of(source: _Source) -> tuple[str | None, int | None]:
            # the hash of the plain bytes says nothing of the gzipped ones in a mirror
            return (None, None) if file.gzipped and source.as_stored else (expected, file.size)

        source = self._download(sources, part, checks_of)
        if not file.gzipped:
            finish(part, path)
        elif source.as_stored:
            _check_packed(file, part, source.url, expected)
            finish(part, path)
        else:
            _place_packed(part, path)
        sha256, size = _content(file, path)
        if expected is None:
            self.first_hashes.note({file.path: sha256})
        self.records[file.path] = _record(file, source.url, sha256, size)

    def _fetch_members(self, archive: RegisteredArchive) -> None:
        """Bring the members of an archive: those that a mirror has unpacked, the rest from it."""
        for file in archive.members.values():
            sources = self._sources(file.path, None)
            if file.path not in self.records and sources:
                with suppress(AbsentError):
                    self._fetch_file(file, sources)
        wanted = {
            member: file
            for member, file in archive.members.items()
            if file.path not in self.records
        }
        if not wanted:
            return
        name = f"{ARCHIVES}/{archive.name}"
        part = self.root / f"{name}.part"
        expected = self.first_hashes.expected(name, archive.sha256)
        try:
            source = self._download(
                self._sources(name, archive.url), part, lambda _: (expected, archive.size)
            )
            noted = {} if expected else {name: sha256_of(part)}
            try:
                self._unpack(archive, part, wanted, source, noted)
            finally:
                discard(part)
        finally:
            _remove_if_empty(part.parent)

    def _unpack(
        self,
        archive: RegisteredArchive,
        part: Path,
        wanted: Mapping[str, RegisteredFile],
        source: _Source,
        noted: dict[str, str],
    ) -> None:
        """Put the wanted members of a downloaded archive in place, once all of them are right."""
        with _new_folder(self.root / ARCHIVES / f".{archive.name}.unpacked") as folder:
            sizes = {member: file.size for member, file in wanted.items()}
            unpacked = unpack(part, archive.name, sizes, folder)
            records = {}
            for member, file in wanted.items():
                sha256, size = _content(file, unpacked[member])
                expected = self.first_hashes.expected(file.path, file.sha256)
                if expected not in (None, sha256):
                    raise UserError(
                        f"{source.url}: sha256 of member {member} is {sha256}, expected "
                        f"{expected}; nothing was unpacked: the archive has changed, take a "
                        "mirror (--mirror) or correct the registry"
                    )
                if expected is None:
                    noted[file.path] = sha256
                records[file.path] = _record(file, source.url, sha256, size)
            for member, file in wanted.items():
                path = self.root / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                unpacked[member].replace(path)
            if noted:
                self.first_hashes.note(noted)
            self.records |= records


class _FirstHashes:
    """Hashes noted at first downloads, for the files of one data set that have none."""

    def __init__(self, root: Path, name: str) -> None:
        self.path = root / FIRST_HASHES / f"{name}.json"
        self._noted: dict[str, str] = read_json(self.path) if self.path.is_file() else {}

    def expected(self, path: str, sha256: str | None) -> str | None:
        """Return the registry's hash or, if it has none, the one noted."""
        return sha256 or self._noted.get(path)

    def note(self, found: Mapping[str, str]) -> None:
        """Note hashes of files by path."""
        self._noted |= found
        write_json(self.path, self._noted)


def _record(file: RegisteredFile, url: str | None, sha256: str, size: int) -> Record:
    date = datetime.now(UTC).isoformat(timespec="seconds")
    return {"path": file.path, "url": url, "sha256": sha256, "size": size, "date": date}


def _content(file: RegisteredFile, path: Path) -> tuple[str, int]:
    """Return hash and size of what a file holds: of the plain bytes if it is stored gzipped."""
    if not file.gzipped:
        return sha256_of(path), path.stat().st_size
    digest, size = hashlib.sha256(), 0
    try:
        with gzip.open(path) as stream:
            while chunk := stream.read(2**20):
                digest.update(chunk)
                size += len(chunk)
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path}: not a sound gzip file ({error}); move it away") from error
    return digest.hexdigest(), size


def _check_packed(file: RegisteredFile, part: Path, url: str, expected: str | None) -> None:
    """Check a gzipped download by the bytes that it holds; delete it if they are not right."""
    try:
        sha256, _ = _content(file, part)
    except UserError as error:
        discard(part)
        raise UserError(f"{url}: not a sound gzip file; mend the mirror") from error
    if expected not in (None, sha256):
        discard(part)
        raise UserError(
            f"{url}: sha256 of the unpacked bytes is {sha256}, expected {expected}; the bytes were "
            "deleted: mend the mirror or fetch without it"
        )


def _place_packed(part: Path, path: Path) -> None:
    """Gzip a finished download into its place; the same bytes give the same file."""
    with (
        open(part, "rb") as plain,
        atomic_file(path) as temporary,
        open(temporary, "wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
    ):
        shutil.copyfileobj(plain, packed)
    discard(part)


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A new folder, gone afterwards with what is left in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_if_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
