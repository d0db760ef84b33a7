"""Bringing a model of the hub into a folder, from the hub or from a mirror."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from workflow_scripts.downloads import model_folders
from workflow_scripts.downloads.answers import AbsentError
from workflow_scripts.downloads.hub import (
    is_pickle,
    is_weights,
    no_weights,
    refusal,
    wanted_files,
)
from workflow_scripts.downloads.mirrors import Mirror, check_offline, shown
from workflow_scripts.downloads.model_files import (
    CONVERTED,
    check_model_files,
    hub_offline_variable,
)
from workflow_scripts.downloads.model_folders import FILE_LIST, FileList, HubModel, ListedFile
from workflow_scripts.downloads.transfer import (
    USUAL,
    Policy,
    discard,
    download,
    finish,
    report_progress,
)
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_directory, sha256_of, without_link, write_json
from workflow_scripts.locking import sole_fetch

_PROJECT = Path(__file__).resolve().parents[2]
_SECONDS_TO_CONVERT = 1800
_LARGEST_LIST = 10**6


def fetch_model(
    model: HubModel,
    models: Path,
    mirror: Mirror | None = None,
    offline: bool = False,
    policy: Policy = USUAL,
    pinned: Sequence[str] = (),
) -> FileList:
    """Bring a model into its folder below `models`, or check the folder that is there.

    The mirror is asked first; what it lacks comes from the hub, unless `offline`. What was
    fetched before a download broke off waits next to the folder (.{name}.part) for the next
    attempt; the folder itself is there whole or not at all. Weights that are pickled only are
    converted, and the pickle is not kept. `pinned` are hashes that the weights must have as the
    hub has them. Returns the list of its files.
    """
    check_offline(mirror, offline)
    folder = models / model.folder_name
    if not folder.exists():
        if mirror is None:
            _refuse_offline(model, folder, mirror, offline)
        with sole_fetch(models, model.folder_name):
            # unless another process brought it meanwhile
            if not folder.exists():
                return _bring(model, folder, mirror, offline, policy, pinned)
    if problems := list(model_folders.problems_of_folder(folder, model, with_hashes=True)):
        remedy = f"delete the folder {folder} and fetch it again"
        raise UserError(f"model {model.address}", "; ".join(problems), remedy)
    listed = model_folders.read_file_list(folder / FILE_LIST, model)
    listed.check_weights(pinned)
    return listed


def _bring(
    model: HubModel,
    folder: Path,
    mirror: Mirror | None,
    offline: bool,
    policy: Policy,
    pinned: Sequence[str],
) -> FileList:
    part = without_link(folder.with_name(f".{folder.name}.part"))
    file_list = _from_mirror(model, part, mirror, policy) if mirror is not None else None
    if file_list is None:
        _refuse_offline(model, folder, mirror, offline)
        file_list = _from_hub(model, part)
    try:
        file_list.check_weights(pinned)
        if not file_list.has_safetensors:
            file_list = _converted(model, part, file_list)
        check_model_files(part, model.address)
    except UserError:
        # another attempt would find the same
        shutil.rmtree(part)
        raise
    with atomic_directory(folder) as temporary:
        for file in file_list.files:
            (temporary / file.name).parent.mkdir(parents=True, exist_ok=True)
            (part / file.name).replace(temporary / file.name)
        write_json(temporary / FILE_LIST, file_list.as_json())
    shutil.rmtree(part)
    return file_list


def _converted(model: HubModel, part: Path, file_list: FileList) -> FileList:
    """Convert the pickled weights of a list in a process of its own; the list names the result."""
    pickles = [file for file in file_list.files if is_pickle(file.name)]
    if not pickles:
        return file_list
    report_progress(f"{model.address}: converting {pickles[0].name}")
    command = [sys.executable, "-m", "workflow_scripts.downloads.convert_weights"]
    # its usage is a part of that of this step
    environment = {name: value for name, value in os.environ.items() if name != "STEP_USAGE"}
    try:
        process = subprocess.run(
            [*command, "--folder", str(part.resolve())],
            cwd=_PROJECT,
            env=environment,
            timeout=_SECONDS_TO_CONVERT,
            capture_output=True,
            text=True,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(f"model {model.address}", str(error), "its weights are refused") from error
    if process.returncode:
        reason = process.stderr.strip().rpartition("\n")[2].removeprefix("error: ")
        reason = reason or f"the conversion ended with {process.returncode}"
        raise UserError(
            f"model {model.address}",
            reason,
            "pickled weights must be nothing but tensors: take another commit or model",
        )
    kept = [file for file in file_list.files if file not in pickles]
    files = sorted([*kept, _listed(part, CONVERTED)], key=lambda file: file.name)
    return file_list.model_copy(update={"files": files, "converted_from": pickles})


def _refuse_offline(model: HubModel, folder: Path, mirror: Mirror | None, offline: bool) -> None:
    variable = hub_offline_variable()
    if not offline and variable is None:
        return
    places = f"{folder} is missing" + (", and the mirror lacks it" if mirror is not None else "")
    why = "offline" if offline else f"{variable} is set in the environment"
    # named in both cases: who takes away the one would stumble over the other
    where = "on a machine with internet access" + (
        f", with {variable}=0" if variable is not None else ""
    )
    raise UserError(
        f"model {model.address}, {why}",
        places,
        f"run `snakemake fetch_all` {where}, and copy the folder here, or into a mirror folder",
    )


def _from_mirror(model: HubModel, part: Path, mirror: Mirror, policy: Policy) -> FileList | None:
    """Bring the files that a mirror's files.json lists into `part`; None if it lacks any."""
    base = f"{model_folders.MODELS}/{model.folder_name}"
    if not mirror.may_have(f"{base}/{FILE_LIST}"):
        return None
    listing, list_url = part / f"{FILE_LIST}.part", mirror.url_of(f"{base}/{FILE_LIST}")
    discard(listing)
    try:
        download(list_url, listing, None, None, replace(policy, largest=_LARGEST_LIST))
        listed = model_folders.read_file_list(listing, model)
    except AbsentError:
        return None
    except UserError as error:
        # the name that the reader can find, instead of that of our copy
        raise error.renamed(listing, shown(list_url)) from None
    finally:
        discard(listing)
        with suppress(OSError):
            part.rmdir()  # where nothing else is in it
    for file in listed.files:
        path = part / file.name
        if path.is_file() and _listed(part, file.name) == file:
            continue
        unfinished = path.with_name(path.name + ".part")
        url = mirror.url_of(f"{base}/{file.name}")
        try:
            download(url, unfinished, file.sha256, file.size, policy)
        except AbsentError as error:
            report_progress(f"model {model.address}: the mirror is incomplete: {error}")
            return None
        finish(unfinished, path)
    return listed.fetched_from(shown(mirror.url_of(base)))


def _listed(folder: Path, name: str) -> ListedFile:
    path = folder / name
    return ListedFile(name=name, size=path.stat().st_size, sha256=sha256_of(path))


def _from_hub(model: HubModel, part: Path) -> FileList:
    """Bring the files of a repository into `part`, checked against the hashes that the hub has."""
    import huggingface_hub
    from huggingface_hub import constants
    from huggingface_hub.utils import disable_progress_bars

    endpoint = shown(constants.ENDPOINT)
    where = f"model {model.address} of {endpoint}"
    report_progress(f"{endpoint}: fetching {model.address}")
    disable_progress_bars()
    name, options = model.repository, {"revision": model.revision, "local_dir": part}
    client = huggingface_hub.HfApi()
    try:
        there = client.model_info(name, revision=model.revision).siblings or []
        patterns = wanted_files([file.rfilename for file in there])
        huggingface_hub.snapshot_download(name, **options, allow_patterns=patterns)
        checked = client.verify_repo_checksums(name, **options)
    except Exception as error:
        raise refusal(error).at(where) from error
    if checked.mismatches:
        names = ", ".join(mismatch["path"] for mismatch in checked.mismatches)
        shutil.rmtree(part)
        problem = f"{names}: bytes that do not match the hub's hash"
        raise UserError(where, problem, "they were deleted: run again")
    files = [path.relative_to(part) for path in part.rglob("*") if path.is_file()]
    kept = sorted(str(path) for path in files if path.parts[0] != ".cache")
    kept = [name for name in kept if name not in checked.extra_paths]
    if not any(map(is_weights, kept)):
        shutil.rmtree(part)
        raise no_weights().at(where)
    listed = [_listed(part, name) for name in kept]
    of_model = FileList(repository=model.repository, revision=model.revision, files=listed)
    return of_model.fetched_from(f"{endpoint}/{model.repository}")
