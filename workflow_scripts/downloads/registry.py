"""The registry of data sets and corpora: where each file comes from and what its bytes must be."""

import posixpath
import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

from workflow_scripts.datasets.options import Option, fill_options
from workflow_scripts.downloads.unpacking import archive_kind
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.files import read_text

TASKS = (
    "similarity",
    "entity-linking",
    "lexicon",
    "pair-classification",
    "corpus",
    "dictionary",
    "word-vectors",
)

_NAME = re.compile(r"[a-z0-9]+([-_.][a-z0-9]+)*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SCHEMES = ("http", "https", "file")

_ENTRY = {
    "title": Option((str,)),
    "task": Option((str,), choices=TASKS),
    "languages": Option((list,)),
    "rows": Option((str,), None),
    "licence": Option((str,)),
    "citation": Option((str,)),
    "homepage": Option((str,)),
    "note": Option((str,), None),
    "gated": Option((bool,)),
    "obtain": Option((str,), None),
    "base": Option((str,), None),
    "files": Option((list,), None),
    "archives": Option((list,), None),
}
# What is known of some bytes. `verified`: the hash was computed from the very bytes.
_BYTES = {
    "sha256": Option((str,), None),
    "size": Option((int,), None),
    "verified": Option((bool,), False),
}
_FILE = {
    "path": Option((str,)),
    "url": Option((str,), None),
    **_BYTES,
    "stored": Option((str,), "plain", choices=("plain", "gzip")),
}
_ARCHIVE = {"url": Option((str,)), **_BYTES, "members": Option((list,))}
_MEMBER = {"member": Option((str,)), "path": Option((str,)), **_BYTES}


@dataclass(frozen=True)
class RegisteredFile:
    """A file below the data root.

    `url` is None for what must be got by hand, and for members of archives. `size` (bytes) and
    `sha256` are None where unknown. A file that is stored gzipped comes as plain bytes from its
    URL; then both are those of the plain bytes.
    """

    path: str
    url: str | None
    sha256: str | None
    size: int | None
    verified: bool
    gzipped: bool = False


@dataclass(frozen=True)
class RegisteredArchive:
    """An archive of which named members are files below the data root."""

    url: str
    sha256: str | None
    size: int | None
    verified: bool
    members: Mapping[str, RegisteredFile]

    @property
    def name(self) -> str:
        """The last part of the URL, under which a mirror holds it in archives/."""
        return posixpath.basename(unquote(urlsplit(self.url).path))


@dataclass(frozen=True)
class DataSet:
    """An entry: a data set or corpus, its terms, and its files."""

    name: str
    title: str
    task: str
    languages: tuple[str, ...]
    rows: str | None
    licence: str
    citation: str
    homepage: str
    note: str | None
    gated: bool
    obtain: str | None
    files: tuple[RegisteredFile, ...]
    archives: tuple[RegisteredArchive, ...]

    @cached_property
    def all_files(self) -> tuple[RegisteredFile, ...]:
        """Every file that the set has below the data root, members of archives included."""
        members = (file for archive in self.archives for file in archive.members.values())
        return (*self.files, *members)


# the loader in C, where PyYAML was built with it, is several times faster
class _UniqueKeys(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """A YAML loader for which a repeated key is a mistake, not a replacement."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    problem=f"the key {key!r} occurs twice", problem_mark=key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_registry(path: str | Path) -> dict[str, DataSet]:
    """Return the entries of a registry file by name.

    Raises `UserError` for malformed YAML, an unknown key (naming the nearest known one), a missing
    or ill-typed one, an address or path that is none, and what two entries both claim.
    """
    try:
        content = yaml.load(read_text(path), Loader=_UniqueKeys)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise UserError(f"{path}{line}: not valid YAML ({problem}); mend the line") from error
    if not isinstance(content, Mapping) or not content:
        raise UserError(f"{path}: expected entries by name; write name: {{title: ..., ...}}")
    registry = {str(name): _entry(str(name), block, path) for name, block in content.items()}
    _check_claimed_once(registry, path)
    return registry


def find_data_set(registry: Mapping[str, DataSet], name: str, path: str | Path) -> DataSet:
    """Return the entry `name`; `UserError` with the nearest known name if there is none.

    `path` is the registry's file, for the message.
    """
    if name not in registry:
        raise UserError(f"{path}: no data set {name!r}; {nearest_name(name, registry)}")
    return registry[name]


def open_sets(registry: Mapping[str, DataSet]) -> list[str]:
    """Return the names of the sets that can be downloaded, in the order of the file."""
    return [name for name, entry in registry.items() if not entry.gated]


def sets_with(registry: Mapping[str, DataSet], wanted: Iterable[str | Path]) -> list[str]:
    """Return the names of the entries that hold any of `wanted`, in the order of the registry.

    `wanted` are paths below the data root: files, folders, or patterns such as `STS*.input.*.txt`
    (the readers name a missing set by its folder or by a pattern).
    """
    patterns = [str(path) for path in wanted]
    return [
        name
        for name, entry in registry.items()
        if any(_is_meant(file.path, pattern) for file in entry.all_files for pattern in patterns)
    ]


def _is_meant(path: str, pattern: str) -> bool:
    return path.startswith(f"{pattern}/") or fnmatchcase(path, pattern)


def _entry(name: str, block: Any, path: str | Path) -> DataSet:
    where = f"{path}: {name}"
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{where}: a name is small letters and digits, joined by single - _ or .; rename it"
        )
    options = fill_options(block, _ENTRY, where)
    if options["gated"] and not options["obtain"]:
        raise UserError(f"{where}: a gated set needs `obtain`: where to get it, where to put it")
    if options["obtain"] and not options["gated"]:
        raise UserError(f"{where}: `obtain` is for gated sets; remove it or set gated: true")
    files = tuple(_file(one, options["base"], where) for one in options["files"] or [])
    archives = tuple(_archive(one, options["base"], where) for one in options["archives"] or [])
    if not files and not archives:
        raise UserError(f"{where}: neither files nor archives; list at least one")
    for file in files:
        if file.url is None and not options["gated"]:
            raise UserError(f"{where}: {file.path} has no url; give one or set gated: true")
    return DataSet(
        name=name,
        files=files,
        archives=archives,
        languages=tuple(map(str, options["languages"])),
        **{
            key: options[key]
            for key in (
                *("title", "task", "rows", "licence", "citation", "homepage", "note"),
                *("gated", "obtain"),
            )
        },
    )


def _file(block: Any, base: str | None, where: str) -> RegisteredFile:
    options = fill_options(block, _FILE, f"{where}: files")
    where = f"{where}: {options['path']}"
    _check_bytes(options, where)
    return RegisteredFile(
        path=path_below(options["path"], where),
        url=None if options["url"] is None else _address(options["url"], base, where),
        sha256=options["sha256"],
        size=options["size"],
        verified=options["verified"],
        gzipped=options["stored"] == "gzip",
    )


def _archive(block: Any, base: str | None, where: str) -> RegisteredArchive:
    options = fill_options(block, _ARCHIVE, f"{where}: archives")
    url = _address(options["url"], base, where)
    where = f"{where}: {url}"
    _check_bytes(options, where)
    members: dict[str, RegisteredFile] = {}
    for one in options["members"]:
        member = fill_options(one, _MEMBER, f"{where}: members")
        _check_bytes(member, f"{where}: {member['member']}")
        name = path_below(member["member"], where)
        if name in members:
            raise UserError(f"{where}: member {name} is listed twice; remove one")
        members[name] = RegisteredFile(
            path=path_below(member["path"], where),
            url=None,
            sha256=member["sha256"],
            size=member["size"],
            verified=member["verified"],
        )
    if not members:
        raise UserError(f"{where}: no members; list at least one")
    archive = RegisteredArchive(
        url, options["sha256"], options["size"], options["verified"], members
    )
    archive_kind(archive.name)
    return archive


def _check_bytes(options: Mapping[str, Any], where: str) -> None:
    sha256, size = options["sha256"], options["size"]
    if sha256 is not None and not _SHA256.fullmatch(sha256):
        raise UserError(f"{where}: sha256 {sha256!r} is not 64 hexadecimal digits; mend it")
    if size is not None and size < 0:
        raise UserError(f"{where}: size cannot be {size}; give the number of bytes")
    if options["verified"] and sha256 is None:
        raise UserError(f"{where}: verified without a sha256; give the hash or remove the key")


def path_below(path: str, where: str) -> str:
    """Return a path if it stays below the folder that it is taken from."""
    parts = path.split("/")
    if not path or "\\" in path or path.startswith("/") or {"", ".", ".."} & set(parts):
        raise UserError(f"{where}: {path!r} is not a path below a folder, with / between; mend it")
    return path


def _address(url: str, base: str | None, where: str) -> str:
    """Return an address, put behind `base` if it has no scheme."""
    full = url if urlsplit(url).scheme else (base or "") + url
    parts = urlsplit(full)
    if parts.scheme not in _SCHEMES or not posixpath.basename(parts.path):
        raise UserError(
            f"{where}: {full!r} is not the address of a file ({', '.join(_SCHEMES)}); mend url or "
            "base"
        )
    return full


def _check_claimed_once(registry: Mapping[str, DataSet], path: str | Path) -> None:
    """Each path below the root and each archive's name in a mirror belongs to one entry."""
    owners: dict[str, str] = {}
    for name, entry in registry.items():
        archives = [f"archives/{archive.name}" for archive in entry.archives]
        for claimed in [*(file.path for file in entry.all_files), *archives]:
            if claimed in owners:
                raise UserError(
                    f"{path}: {claimed} is in {owners[claimed]!r} and again in {name!r}; remove one"
                )
            owners[claimed] = name
