"""Folders of models that were fetched from the hub, each with a list of its files (files.json).

Nothing here asks the network or loads a library of models, so that a run can be planned with it.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workflow_scripts.downloads.registry import path_below
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, sha256_of

# where a mirror has them, as the default data root does
MODELS = "models"
FILE_LIST = "files.json"
# the second holds for the hub where the first is not set, as huggingface_hub reads them
_OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_TRUE = ("1", "ON", "YES", "TRUE")
_PART = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_ADDRESS = re.compile(rf"(?P<repository>{_PART}(/{_PART})?)@(?P<revision>[0-9a-f]{{7,40}})")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class HubModel:
    """A repository of the hub at one commit."""

    repository: str
    revision: str

    @property
    def address(self) -> str:
        """How it is named: id@revision."""
        return f"{self.repository}@{self.revision}"

    @property
    def folder_name(self) -> str:
        """The folder that it is fetched into, below that of all models: owner--name@revision."""
        return self.address.replace("/", "--")


def parse_address(address: str) -> HubModel:
    """Return the model of an address id@revision; `UserError` for what is none."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise UserError(
            f"{address!r}: not a model of the hub at a commit; give id@revision, such as "
            "bert-base-uncased@86b5e0934494bd15c9632b12f734a8a67f723594"
        )
    return HubModel(match["repository"], match["revision"])


def hub_offline_variable() -> str | None:
    """Return the environment variable that forbids asking the hub; None where it may be asked."""
    for name in _OFFLINE_VARIABLES:
        if value := os.environ.get(name):
            return name if value.upper() in _TRUE else None
    return None


@dataclass(frozen=True)
class ListedFile:
    """A file of a model's folder; `name` is its path below it, `size` is in bytes."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class FileList:
    """What files.json tells of a model; `source` and `date` say where and when it was fetched."""

    model: HubModel
    files: tuple[ListedFile, ...]
    source: str | None = None
    date: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the content of files.json and of the record of a download."""
        return {
            "repository": self.model.repository,
            "revision": self.model.revision,
            "source": self.source,
            "date": self.date,
            "files": [
                {"name": file.name, "size": file.size, "sha256": file.sha256} for file in self.files
            ],
        }


def read_file_list(path: Path, model: HubModel) -> FileList:
    """Return the content of a files.json.

    Raises `UserError` if it is missing or malformed, names a path out of its folder, or is that of
    another model.
    """
    content = read_json(path)
    try:
        found = HubModel(content["repository"], content["revision"])
        files = tuple(
            ListedFile(path_below(file["name"], str(path)), file["size"], file["sha256"])
            for file in content["files"]
        )
        source, date = content.get("source"), content.get("date")
        sound = files and all(
            type(file.size) is int and file.size >= 0 and _SHA256.fullmatch(file.sha256)
            for file in files
        )
    except (KeyError, TypeError, AttributeError):
        sound = False
    if not sound:
        raise UserError(
            f"{path}: not the list of a model's files (repository, revision, and name, size and "
            "sha256 of each); take it from where the model was fetched"
        )
    if found != model:
        raise UserError(f"{path}: is of {found.address}, not of {model.address}; mend the folders")
    return FileList(found, files, source, date)


def problems_of_folder(folder: Path, model: HubModel, with_hashes: bool) -> Iterator[str]:
    """Yield what is wrong with a model's folder that is there, a line for each file.

    `with_hashes` reads every byte; without, names and sizes are compared.
    """
    if not (folder / FILE_LIST).is_file():
        yield f"{folder / FILE_LIST}: no such file, so that what belongs there is unknown"
        return
    try:
        listed = read_file_list(folder / FILE_LIST, model)
    except UserError as error:
        yield str(error)
        return
    for file in listed.files:
        path = folder / file.name
        if not path.is_file():
            yield f"{path}: no such file"
        elif path.stat().st_size != file.size:
            yield f"{path}: {path.stat().st_size} bytes, {FILE_LIST} has {file.size}"
        elif with_hashes and (sha256 := sha256_of(path)) != file.sha256:
            yield f"{path}: sha256 is {sha256}, {FILE_LIST} has {file.sha256}"
