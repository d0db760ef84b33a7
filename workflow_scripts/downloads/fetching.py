"""Bringing the files of one data set below the data root, from their URLs or from a mirror."""

import gzip
import hashlib
import shutil
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.downloads.answers import AbsentError
from workflow_scripts.downloads.mirrors import Mirror, check_offline, shown
from workflow_scripts.downloads.registry import (
    DataSet,
    Member,
    RegisteredArchive,
    StoredFile,
)
from workflow_scripts.downloads.transfer import (
    USUAL,
    Policy,
    discard,
    download,
    finish,
    report_progress,
)
from workflow_scripts.downloads.unpacking import LARGEST_MEMBER, unpack
from workflow_scripts.errors import UserError, is_full_disk
from workflow_scripts.files import (
    atomic_file,
    passing_directory,
    read_json,
    sha256_of,
    write_json,
)
from workflow_scripts.locking import sole_fetch

# Below the data root: hashes of first downloads, for files whose hash nobody knew before.
FIRST_HASHES = ".first-hashes"
ARCHIVES = "archives"

Record = dict[str, Any]
_Wanted = StoredFile | RegisteredArchive


def fetch(
    data_set: DataSet,
    root: Path,
    mirror: Mirror | None = None,
    offline: bool = False,
    policy: Policy = USUAL,
) -> list[Record]:
    """Fetch the missing files of a data set to `root`, and check the existing ones.

    Returns for each file a record: path, url (None for a file that was there), sha256, size, date
    and hash_known, whether it was checked against a hash of the registry; of one that is kept
    gzipped, sha256 and size are those of its content, stored_sha256 that of the file. What the
    mirror lacks comes from its own URL, unless `offline`. A file that is there is never
    overwritten, and `UserError` if it has other bytes. A hash that the registry lacks is noted at
    the first download, below the root, and holds from then on.
    """
    check_offline(mirror, offline)
    return _Fetching(data_set, root, mirror, offline, policy).run()


class _Source(NamedTuple):
    """An address to try; `as_stored` if it holds the file in the form that the root has."""

    url: str
    as_stored: bool


def _sources(path: str, urls: list[str], mirror: Mirror | None, offline: bool) -> list[_Source]:
    """Return where to look for a path: the mirror, then the URLs of its own."""
    sources = []
    if mirror is not None and mirror.may_have(path):
        sources.append(_Source(mirror.url_of(path), as_stored=True))
    own = [] if offline else urls
    return [*sources, *(_Source(url, as_stored=False) for url in own)]


def files_without_source(
    data_set: DataSet, root: Path, mirror: Mirror | None, offline: bool
) -> list[Path]:
    """Return the files that are neither below `root` nor at an address or in a mirror folder."""
    lost = [f.path for f in data_set.files if not _sources(f.path, f.urls, mirror, offline)]
    for archive in data_set.archives:
        if not _sources(f"{ARCHIVES}/{archive.name}", archive.urls, mirror, offline):
            paths = [file.path for file in archive.members]
            lost += [path for path in paths if not _sources(path, [], mirror, offline)]
    return [root / path for path in lost if not (root / path).exists()]


@dataclass
class _Fetching:
    """One data set on its way below a root; `records` fills with its files by path."""

    data_set: DataSet
    root: Path
    mirror: Mirror | None
    offline: bool
    policy: Policy
    records: dict[str, Record] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # hashes noted at first downloads, for the files that have none
        self.notes = self.root / FIRST_HASHES / f"{self.data_set.name}.json"
        self.noted: dict[str, str] = {}

    def run(self) -> list[Record]:
        self._keep()
        if lost := files_without_source(self.data_set, self.root, self.mirror, self.offline):
            raise self._missing(lost)
        files = self.data_set.all_files
        if len(self.records) < len(files):
            with sole_fetch(self.root, self.data_set.name):
                # what another process brought meanwhile
                self._keep()
                self._fetch_missing()
        unknown = self.data_set.without_hash
        return [self.records[file.path] | {"hash_known": file not in unknown} for file in files]

    def _keep(self) -> None:
        """Check and record the files that are there."""
        self.noted = read_json(self.notes) if self.notes.is_file() else {}
        for file in self.data_set.all_files:
            if file.path not in self.records and (self.root / file.path).exists():
                self.records[file.path] = self._kept(file)

    def _fetch_missing(self) -> None:
        where = (self.mirror, self.offline)
        try:
            for file in self.data_set.files:
                if file.path not in self.records:
                    self._fetch_file(file, _sources(file.path, file.urls, *where))
            for archive in self.data_set.archives:
                self._fetch_members(archive)
        except AbsentError as error:
            if self.data_set.gated:
                raise self._not_open(str(error)) from error
            raise

    def _expected(self, path: str, sha256: str | None) -> str | None:
        return sha256 or self.noted.get(path)

    def _note(self, hashes: Mapping[str, str]) -> None:
        if hashes:
            self.noted |= hashes
            write_json(self.notes, self.noted)

    def _missing(self, lost: list[Path]) -> UserError:
        files = f"{len(lost)} file{'s' * (len(lost) > 1)} missing: {', '.join(map(str, lost))}"
        if self.data_set.gated:
            return self._not_open(files)
        return UserError(
            f"data set {self.data_set.name!r}, offline",
            files,
            "run without --offline, or put them there or into a mirror folder (--mirror)",
        )

    def _not_open(self, missing: str) -> UserError:
        entry = self.data_set
        problem = f"cannot be downloaded ({missing})"
        return UserError(f"data set {entry.name!r}", problem, entry.obtain)

    def _kept(self, file: StoredFile) -> Record:
        path = self.root / file.path
        if not path.is_file():
            raise UserError(path, "is not a file", "move it away")
        sha256, size = _content(file, path)
        expected = self._expected(file.path, file.sha256)
        if expected not in (None, sha256):
            origin = "the registry has" if file.sha256 else f"{self.notes} noted"
            raise UserError(
                path,
                f"exists with sha256 {sha256}, {origin} {expected}",
                "it is left as it is: move it away to fetch the right one, or leave this set out "
                "if the file is yours",
            )
        return _record(file, path, None, sha256, size)

    def _download(
        self, sources: list[_Source], part: Path, sha256: str | None, file: _Wanted
    ) -> _Source:
        """Download from the first source that serves the file; `AbsentError` if none has it.

        A mirror with other bytes is an error and needs fixing. One of several addresses that
        has them, or gives no answer, is passed over.
        """
        failures: list[UserError] = []
        for source in sources:
            # the hash of the plain bytes says nothing of the gzipped ones in a mirror
            packed = source.as_stored and file.gzipped
            checks = (None, None) if packed else (sha256, file.size)
            policy = self.policy
            if packed and file.size is not None:
                # a header has names and comments; gzip adds little else to what it cannot shorten
                policy = replace(policy, largest=file.size + file.size // 100 + 2**16)
            if failures:
                # bytes of another address are not continued
                discard(part)
            try:
                download(source.url, part, *checks, policy)
                return source
            except UserError as error:
                passed_over = AbsentError if source.as_stored else UserError
                if not isinstance(error, passed_over):
                    raise
                if source is not sources[-1]:
                    report_progress(f"{error}; the next address is tried")
                failures.append(error)
        raise _failure(failures, file)

    def _fetch_file(self, file: StoredFile, sources: list[_Source]) -> None:
        path = self.root / file.path
        part = path.with_name(path.name + ".part")
        expected = self._expected(file.path, file.sha256)
        source = self._download(sources, part, expected, file)
        if not file.gzipped:
            finish(part, path)
        elif source.as_stored:
            _check_packed(file, part, source.url, expected)
            finish(part, path)
        else:
            _place_packed(part, path)
        sha256, size = _content(file, path)
        if expected is None:
            self._note({file.path: sha256})
        self.records[file.path] = _record(file, path, source.url, sha256, size)

    def _fetch_members(self, archive: RegisteredArchive) -> None:
        for file in archive.members:
            sources = _sources(file.path, [], self.mirror, self.offline)
            if file.path not in self.records and sources:
                with suppress(AbsentError):
                    self._fetch_file(file, sources)
        members = [file for file in archive.members if file.path not in self.records]
        if not members:
            return
        name = f"{ARCHIVES}/{archive.name}"
        part = self.root / f"{name}.part"
        expected = self._expected(name, archive.sha256)
        sources = _sources(name, archive.urls, self.mirror, self.offline)
        try:
            source = self._download(sources, part, expected, archive)
            self._unpack(archive, part, members, source.url, known=expected is not None)
        finally:
            with suppress(OSError):
                part.parent.rmdir()  # where nothing else is in it

    def _unpack(
        self, archive: RegisteredArchive, part: Path, members: list[Member], url: str, known: bool
    ) -> None:
        """Put the wanted members of a downloaded archive in place, once all are right; drop it."""
        full = False
        try:
            with passing_directory(part.with_name(archive.name)) as folder:
                unpacked = unpack(part, archive.name, {f.member: f.size for f in members}, folder)
                noted = {} if known else {f"{ARCHIVES}/{archive.name}": sha256_of(part)}
                records = {}
                for file in members:
                    sha256, size = _content(file, unpacked[file.member])
                    expected = self._expected(file.path, file.sha256)
                    if expected not in (None, sha256):
                        raise UserError(
                            shown(url),
                            f"sha256 of member {file.member} is {sha256}, expected {expected}",
                            "nothing was unpacked: the archive has changed, use a mirror "
                            "(--mirror) or correct the registry",
                        )
                    if expected is None:
                        noted[file.path] = sha256
                    records[file.path] = _record(file, unpacked[file.member], url, sha256, size)
                for file in members:
                    path = self.root / file.path
                    path.parent.mkdir(parents=True, exist_ok=True)
                    finish(unpacked[file.member], path)
            self._note(noted)
            self.records |= records
        except OSError as error:
            full = is_full_disk(error)
            if not full:
                raise
            needed = sum(file.size or 0 for file in members)
            raise UserError(
                self.root,
                "the disk is full",
                f"what is taken of {archive.name} has {needed:,} bytes where that is known: free "
                "space and run again, the archive is kept",
            ) from error
        finally:
            if not full:
                discard(part)


def _failure(failures: list[UserError], file: _Wanted) -> UserError:
    """Return the error of a file that no source serves; with a single address the error of that."""
    if len(file.urls) < 2:
        return failures[-1]
    absent = all(isinstance(error, AbsentError) for error in failures)
    reasons = "; ".join(f"{error.where}: {error.problem}" for error in failures)
    return (AbsentError if absent else UserError)(
        file.name if isinstance(file, RegisteredArchive) else file.path,
        f"none of its {len(failures)} sources serves it ({reasons})",
        "run again later, use a mirror (--mirror) or put the file there by hand",
    )


def _record(file: StoredFile, path: Path, url: str | None, sha256: str, size: int) -> Record:
    date = datetime.now(UTC).isoformat(timespec="seconds")
    told = None if url is None else shown(url)
    record = {"path": file.path, "url": told, "sha256": sha256, "size": size, "date": date}
    # before each run the file itself is compared, not its content
    return record | ({"stored_sha256": sha256_of(path)} if file.gzipped else {})


def _content(file: StoredFile, path: Path) -> tuple[str, int]:
    """Return hash and size of what a file holds: of the plain bytes if it is stored gzipped."""
    if not file.gzipped:
        return sha256_of(path), path.stat().st_size
    digest, size = hashlib.sha256(), 0
    most = LARGEST_MEMBER if file.size is None else file.size
    try:
        with gzip.open(path) as stream:
            while chunk := stream.read(2**20):
                digest.update(chunk)
                size += len(chunk)
                if size > most:
                    raise EOFError(f"it holds more than {most} bytes")
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(path, f"not a sound gzip file ({error})", "move it away") from error
    return digest.hexdigest(), size


def _check_packed(file: StoredFile, part: Path, url: str, expected: str | None) -> None:
    try:
        sha256, _ = _content(file, part)
    except UserError as error:
        discard(part)
        raise UserError(shown(url), "not a sound gzip file", "fix the mirror") from error
    if expected not in (None, sha256):
        discard(part)
        raise UserError(
            shown(url),
            f"sha256 of the unpacked bytes is {sha256}, expected {expected}",
            "the bytes were deleted: fix the mirror or fetch without it",
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
