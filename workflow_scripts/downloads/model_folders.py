"""Folders of models that were fetched from the hub, each with a list of its files (files.json).

Nothing here uses the network or loads a library of models, so that a run can be planned with it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Self

from pydantic import field_validator

from workflow_scripts.configuration.blocks import (
    Block,
    Count,
    Field,
    Sha256,
    Text,
    mistake,
    read_block,
)
from workflow_scripts.downloads.model_files import (
    CONVERTED,
    HUB_PATTERNS,
    PICKLE,
    WEIGHT_FILES,
    is_model_file,
)
from workflow_scripts.downloads.registry import PathBelow
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, sha256_of

# where a mirror has them, as the default data root does
MODELS = "models"
FILE_LIST = "files.json"
_KINDS = ", ".join(HUB_PATTERNS)
_PART = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_ADDRESS = re.compile(rf"(?P<repository>{_PART}(/{_PART})?)@(?P<revision>[0-9a-f]{{7,40}})")


@dataclass(frozen=True)
class HubModel:
    """A repository of the hub at one commit."""

    repository: str
    revision: str

    @property
    def address(self) -> str:
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
            repr(address),
            "not a model of the hub at a commit",
            "give id@revision, such as "
            "google-bert/bert-base-uncased@86b5e0934494bd15c9632b12f734a8a67f723594",
        )
    return HubModel(match["repository"], match["revision"])


class ListedFile(Block):
    name: PathBelow = Field(description="Path below the folder.")
    size: Count = Field(description="Number of bytes.")
    sha256: Sha256 = Field(description="SHA-256 of its bytes.")


class FileList(Block):
    """What files.json records of a model, and the record of its download."""

    repository: Text = Field(description="Id of the model on the hub.")
    revision: Text = Field(description="Its commit.")
    source: Text | None = Field(None, description="Where it was fetched from.")
    date: Text | None = Field(None, description="When it was fetched.")
    files: list[ListedFile] = Field(min_length=1, description="The files of the folder.")
    converted_from: list[ListedFile] | None = Field(
        None, description="The pickled files that model.safetensors was converted from."
    )

    @property
    def address(self) -> str:
        return HubModel(self.repository, self.revision).address

    @property
    def has_safetensors(self) -> bool:
        return any(file.name in WEIGHT_FILES for file in self.files)

    def fetched_from(self, source: str) -> Self:
        """Return the list with its source and the time, which is now."""
        date = datetime.now(UTC).isoformat(timespec="seconds")
        return self.model_copy(update={"source": source, "date": date})

    def check_weights(self, expected: Iterable[str]) -> None:
        """Raise `UserError` unless the repository's one file of weights has the `expected` hash."""
        names = (CONVERTED, PICKLE)
        matching = [f for f in self.converted_from or self.files if f.name in names]
        for sha256 in expected:
            if len(matching) != 1:
                wrong, remedy = "its weights are not one file", "remove `weights_sha256`"
            elif matching[0].sha256 != sha256:
                wrong = f"{matching[0].name} has sha256 {matching[0].sha256}, the config {sha256}"
                remedy = "fix `weights_sha256` or `revision`"
            else:
                continue
            raise UserError(f"model {self.address}", wrong, remedy)

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True)

    @field_validator("files")
    @classmethod
    def _different(cls, files: list[ListedFile]) -> list[ListedFile]:
        names = {file.name for file in files}
        folders = {str(parent) for name in names for parent in PurePosixPath(name).parents}
        if len(names) < len(files) or names & folders:
            raise mistake("a file is listed twice, or also as a folder; fix the list")
        return files


def read_file_list(path: Path, model: HubModel) -> FileList:
    """Return the content of a files.json; `UserError` if it is malformed or of another model."""
    try:
        file_list = read_block(FileList, read_json(path), "", str(path))
    except UserError as error:
        more = "take the list of a model's files from where the model was fetched"
        error.remedy = f"{error.remedy}; {more}"
        raise
    if file_list.address != model.address:
        wrong = f"is of {file_list.address}, not of {model.address}"
        raise UserError(path, wrong, "fix the folders")
    # not a pickle nor a script
    for file in file_list.files:
        if file.name == FILE_LIST or not is_model_file(file.name):
            wrong = f"{file.name!r} is not of the files that make a model ({_KINDS})"
            raise UserError(path, wrong, "fix the list")
    return file_list


def problems_of_folder(
    folder: Path,
    model: HubModel,
    with_hashes: bool,
    hash_of: Callable[[Path], str | None] = sha256_of,
) -> Iterator[str]:
    """Yield what is wrong with a model's folder, a line for each file; `with_hashes` reads all."""
    if not (folder / FILE_LIST).is_file():
        yield f"{folder / FILE_LIST}: no such file, so its expected contents are unknown"
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
        elif with_hashes and (sha256 := hash_of(path)) != file.sha256:
            yield f"{path}: sha256 is {sha256}, {FILE_LIST} has {file.sha256}"
    names = {FILE_LIST, *(file.name for file in listed.files)}
    for path in sorted(folder.rglob("*")) if with_hashes else ():
        # a library of models would read it
        name = path.relative_to(folder).as_posix()
        if path.is_file() and is_model_file(name) and name not in names:
            yield f"{path}: is not in {FILE_LIST}"
