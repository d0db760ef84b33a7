"""The registry of data sets and corpora: where each file comes from and what its bytes must be."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, BeforeValidator, ValidationInfo, field_validator

from workflow_scripts.configuration.blocks import (
    Block,
    Count,
    Field,
    Id,
    Sha256,
    Text,
    mistake,
    read_block,
)
from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.downloads.unpacking import ENDINGS
from workflow_scripts.errors import ConfigError, UserError, nearest_name

_SCHEMES = ("http", "https", "file")
_SCORED = Literal[
    "similarity",
    "entity-linking",
    "lexicon",
    "pair-classification",
    "bitext-retrieval",
    "classification",
]
Task = Literal[_SCORED, "corpus", "dictionary", "word-vectors"]


def _below(path: str) -> str:
    parts = path.split("/")
    if not path or "\\" in path or path.startswith("/") or {"", ".", ".."} & set(parts):
        raise mistake("it is not a relative path with / between its parts; fix it")
    return path


def _addresses(urls: list[str]) -> list[str]:
    if not urls:
        raise mistake("give at least one address")
    if len(set(urls)) < len(urls):
        raise mistake("an address is given twice; remove one")
    for url in urls:
        parts = urlsplit(url)
        if parts.scheme not in _SCHEMES or not posixpath.basename(parts.path):
            what, schemes = _named(url, urls), ", ".join(_SCHEMES)
            raise mistake(f"{what} is not the address of a file ({schemes}); fix url or base")
    return urls


def _named(url: str, urls: list[str]) -> str:
    return "it" if len(urls) == 1 else repr(url)


def _name_of(url: str) -> str:
    return posixpath.basename(unquote(urlsplit(url).path))


PathBelow = Annotated[str, AfterValidator(_below)]
# where the same bytes are: one address, or several that are tried in their order
Addresses = Annotated[
    list[str],
    BeforeValidator(lambda url: [url] if isinstance(url, str) else url),
    AfterValidator(_addresses),
]


class _Bytes(Block):
    gzipped: ClassVar[bool] = False

    sha256: Sha256 | None = Field(
        None, description="SHA-256 of the bytes at the url; unknown by default."
    )
    size: Count | None = Field(None, description="Number of bytes; unknown by default.")
    verified: bool = Field(
        False, description="Whether the sha256 was computed from exactly these bytes."
    )

    @field_validator("verified")
    @classmethod
    def _with_hash(cls, value: bool, info: ValidationInfo) -> bool:
        if value and info.data.get("sha256", "") is None:
            raise mistake("there is no sha256; give the hash or remove the key")
        return value


class _Located(_Bytes):
    urls: Addresses = Field(
        [], alias="url", description="Its address, or a list to try in order, each after `base`."
    )


class RegisteredFile(_Located):
    """A file below the data root; `urls` is empty for what must be got by hand."""

    path: PathBelow = Field(description="Path below the data root.")
    stored: Literal["plain", "gzip"] = Field(
        "plain",
        description="gzip: the bytes at the url, described by sha256 and size, are stored gzipped.",
    )

    @property
    def gzipped(self) -> bool:  # type: ignore[override]
        return self.stored == "gzip"


class Member(_Bytes):
    """A file below the data root that comes in an archive."""

    member: PathBelow = Field(description="Path in the archive.")
    path: PathBelow = Field(description="Path below the data root.")
    urls: ClassVar[list[str]] = []


StoredFile = RegisteredFile | Member


class RegisteredArchive(_Located):
    urls: Addresses = Field(alias="url", description="Its address, or a list to try in order.")
    members: list[Member] = Field(min_length=1, description="The members to unpack.")

    @field_validator("urls")
    @classmethod
    def _known_kind(cls, urls: list[str]) -> list[str]:
        for url in urls:
            if not _name_of(url).endswith(ENDINGS):
                kinds = ", ".join(ENDINGS)
                raise mistake(f"{_named(url, urls)} is not an archive known here ({kinds})")
        return urls

    @field_validator("members")
    @classmethod
    def _different(cls, members: list[Member]) -> list[Member]:
        names = [member.member for member in members]
        if twice := [name for name in names if names.count(name) > 1]:
            raise mistake(f"{twice[0]} is listed twice; remove one")
        return members

    @property
    def name(self) -> str:
        """The last part of the first URL, under which a mirror holds it in archives/."""
        return _name_of(self.urls[0])


class DataSet(Block):
    """An entry: a data set or corpus, its terms, and its files."""

    name: Id = Field(description="Key in the registry.")
    title: Text = Field(description="What the set is.")
    task: Task = Field(description="What it is for.")
    languages: list[Text] = Field(description="Language of the strings.")
    rows: Text | None = Field(None, description="How many, as published.")
    licence: Text = Field(description="Licence or terms of use.")
    citation: Text = Field(description="Owner or authors.")
    homepage: Text = Field(description="Where it is described.")
    note: Text | None = Field(None, description="Further notes.")
    gated: bool = Field(description="Whether no program can download it (licence, or no address).")
    obtain: Text | None = Field(
        None, description="For gated sets: where to get the files and where to put them."
    )
    base: Text | None = Field(None, description="Prefix of each url without a scheme.")
    files: list[RegisteredFile] = Field([], description="Files with their own url.")
    archives: list[RegisteredArchive] = Field([], description="Archives that contain files.")

    @field_validator("files", "archives", mode="before")
    @classmethod
    def _with_base(cls, blocks: Any, info: ValidationInfo) -> Any:
        base = info.data.get("base") or ""

        def whole(url: Any) -> Any:
            if isinstance(url, list):
                return [whole(each) for each in url]
            return base + url if isinstance(url, str) and not urlsplit(url).scheme else url

        def with_whole(block: Any) -> Any:
            has_url = isinstance(block, Mapping) and "url" in block
            return {**block, "url": whole(block["url"])} if has_url else block

        return [with_whole(block) for block in blocks] if isinstance(blocks, list) else blocks

    def mistakes(self) -> Iterator[tuple[str, str, str]]:
        """Yield key, problem and remedy of keys that do not go together."""
        if self.gated and not self.obtain:
            remedy = "it needs `obtain`: where to get the files and where to put them"
            yield self.name, "is gated", remedy
        if self.obtain and not self.gated:
            yield self.name, "has `obtain`, for gated sets", "remove it or set gated: true"
        if not self.all_files:
            yield self.name, "has neither files nor archives", "list at least one"
        for file in self.files:
            if not (file.urls or self.gated):
                wrong = f"has the file {file.path}, which has no url"
                yield self.name, wrong, "give one or set gated: true"
        for kind, blocks in (("files", self.files), ("archives", self.archives)):
            for number, block in enumerate(blocks):
                if len(block.urls) > 1 and block.sha256 is None and block.size is None:
                    wrong = f"has {len(block.urls)} addresses, but neither sha256 nor size"
                    remedy = "give one of them, to check the bytes of each address"
                    yield f"{self.name}.{kind}.{number}", wrong, remedy

    @cached_property
    def all_files(self) -> list[StoredFile]:
        """Every file that the set has below the data root, members of archives included."""
        return [*self.files, *(file for archive in self.archives for file in archive.members)]

    @cached_property
    def without_hash(self) -> list[StoredFile]:
        """The files whose bytes are unknown: neither they nor their archive have a hash."""
        of_archives = [a.members for a in self.archives if a.sha256 is None]
        members = [member for members in of_archives for member in members]
        files: list[StoredFile] = [*self.files, *members]
        return [file for file in files if file.sha256 is None]


def read_registry(path: str | Path) -> dict[str, DataSet]:
    """Return the entries of a registry file by name, in which no two claim the same file."""
    registry: dict[str, DataSet] = {}
    # each path below the root and each archive's name in a mirror belongs to one entry
    owners: dict[str, str] = {}
    for name, block in read_mapping(path).items():
        named = {**block, "name": str(name)} if isinstance(block, Mapping) else block
        entry = read_block(DataSet, named, str(name), str(path))
        for key, problem, remedy in entry.mistakes():
            raise ConfigError(path, key, problem, remedy)
        archives = [f"archives/{archive.name}" for archive in entry.archives]
        for claimed in [*(file.path for file in entry.all_files), *archives]:
            if claimed in owners:
                raise UserError(
                    path, f"{claimed} is in {owners[claimed]!r} and again in {name!r}", "remove one"
                )
            owners[claimed] = str(name)
        registry[str(name)] = entry
    if not registry:
        raise UserError(path, "has no entries", "write name: {title: ..., ...}")
    return registry


def find_data_set(registry: Mapping[str, DataSet], name: str, path: str | Path) -> DataSet:
    """Return the entry `name` of the registry's file `path`; `UserError` if there is none."""
    if name not in registry:
        raise UserError(path, f"no data set {name!r}", nearest_name(name, registry))
    return registry[name]


def sets_with(
    registry: Mapping[str, DataSet], paths: Iterable[str | Path], without_hash: bool = False
) -> list[str]:
    """Return the names of the entries that hold any of `paths`, in the order of the registry.

    `paths` are paths below the data root: files, folders, or patterns such as `STS*.input.*.txt`
    (the readers name a missing set by its folder or by a pattern). With `without_hash` only the
    files count of which nobody knew the bytes.
    """
    patterns = [str(path) for path in paths]

    def holds(entry: DataSet, pattern: str) -> bool:
        files = entry.without_hash if without_hash else entry.all_files
        paths = [file.path for file in files]
        return any(path.startswith(f"{pattern}/") or fnmatchcase(path, pattern) for path in paths)

    return [
        name
        for name, entry in registry.items()
        if any(holds(entry, pattern) for pattern in patterns)
    ]
