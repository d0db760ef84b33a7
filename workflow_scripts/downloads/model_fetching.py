"""Bringing a model of the hub into a folder, from the hub or from a mirror."""

import shutil
import sys
from contextlib import suppress
from pathlib import Path

from workflow_scripts.downloads import model_folders
from workflow_scripts.downloads.mirrors import Mirror, check_offline
from workflow_scripts.downloads.model_files import HUB_PATTERNS, WEIGHT_FILES, check_model_files
from workflow_scripts.downloads.model_folders import FILE_LIST, FileList, HubModel, ListedFile
from workflow_scripts.downloads.transfer import AbsentError, Policy, discard, download, finish
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_directory, sha256_of, write_json


def fetch_model(
    model: HubModel,
    models: Path,
    mirror: Mirror | None = None,
    offline: bool = False,
    policy: Policy | None = None,
) -> FileList:
    """Bring a model into its folder below `models`, or check the folder that is there.

    The mirror is asked first; what it lacks comes from the hub, unless `offline`. What was
    fetched before a download broke off waits beside the folder (.{name}.part) for the next
    attempt; the folder itself is there whole or not at all. Returns the list of its files.
    """
    check_offline(mirror, offline)
    folder = models / model.folder_name
    if folder.exists():
        if problems := list(model_folders.problems_of_folder(folder, model, with_hashes=True)):
            raise UserError(f"{'; '.join(problems)}: delete the folder {folder} and fetch it again")
        return model_folders.read_file_list(folder / FILE_LIST, model)
    part = models / f".{model.folder_name}.part"
    found = _from_mirror(model, part, mirror, policy) if mirror is not None else None
    if found is None:
        _refuse_offline(model, folder, mirror, offline)
        found = _from_hub(model, part)
    try:
        check_model_files(part, model.address)
    except UserError:
        # another attempt would find the same
        shutil.rmtree(part)
        raise
    with atomic_directory(folder) as temporary:
        for file in found.files:
            (temporary / file.name).parent.mkdir(parents=True, exist_ok=True)
            (part / file.name).replace(temporary / file.name)
        write_json(temporary / FILE_LIST, found.model_dump())
    shutil.rmtree(part)
    return found


def _refuse_offline(model: HubModel, folder: Path, mirror: Mirror | None, offline: bool) -> None:
    variable = model_folders.hub_offline_variable()
    if not offline and variable is None:
        return
    places = f"{folder} is missing" + (", and the mirror lacks it" if mirror is not None else "")
    why = "offline" if offline else f"{variable} is set in the environment"
    # named in both cases: who takes away the one would stumble over the other
    where = "where there is internet" + (f", with {variable}=0" if variable is not None else "")
    raise UserError(
        f"model {model.address}, {why}: {places}; run `snakemake fetch_all` {where}, and carry the "
        "folder over, or put it into a mirror folder"
    )


def _from_mirror(
    model: HubModel, part: Path, mirror: Mirror, policy: Policy | None
) -> FileList | None:
    """Bring the files that a mirror's files.json lists into `part`; None if it lacks any."""
    base = f"{model_folders.MODELS}/{model.folder_name}"
    if not mirror.may_have(f"{base}/{FILE_LIST}"):
        return None
    listing, list_url = part / f"{FILE_LIST}.part", mirror.url_of(f"{base}/{FILE_LIST}")
    discard(listing)
    try:
        download(list_url, listing, None, None, policy)
        listed = model_folders.read_file_list(listing, model)
    except AbsentError:
        return None
    except UserError as error:
        # the name that the reader can find, in place of that of our copy
        raise UserError(str(error).replace(str(listing), list_url)) from error
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
            print(f"model {model.address}: the mirror is incomplete: {error}", file=sys.stderr)
            return None
        finish(unfinished, path)
    return model_folders.file_list(model, listed.files, mirror.url_of(base))


def _listed(folder: Path, name: str) -> ListedFile:
    path = folder / name
    return ListedFile(name=name, size=path.stat().st_size, sha256=sha256_of(path))


def _from_hub(model: HubModel, part: Path) -> FileList:
    """Bring the files of a repository into `part`, checked against the hashes that the hub has."""
    import huggingface_hub
    from huggingface_hub import constants, errors
    from huggingface_hub.utils import disable_progress_bars

    endpoint = constants.ENDPOINT
    where = f"model {model.address} of {endpoint}"
    print(f"{endpoint}: fetching {model.address}", file=sys.stderr, flush=True)
    disable_progress_bars()
    name, place = model.repository, {"revision": model.revision, "local_dir": part}
    # the name of our list is not fetched
    patterns = {"allow_patterns": HUB_PATTERNS, "ignore_patterns": [FILE_LIST]}
    try:
        huggingface_hub.snapshot_download(name, **place, **patterns)
        checked = huggingface_hub.HfApi().verify_repo_checksums(name, **place)
    except Exception as error:  # the hub client raises many kinds, from httpx's to its own
        if isinstance(error, errors.RevisionNotFoundError):
            remedy = "it has no such commit: mend `revision`"
        elif isinstance(error, errors.GatedRepoError):
            remedy = "its owner lets in only who asked: ask on its page, and set HF_TOKEN"
        elif isinstance(error, errors.RepositoryNotFoundError):
            remedy = "there is no such model, or it is private: mend `hub`, or set HF_TOKEN"
        else:
            remedy = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}; run again "
            remedy += "(files that are there whole are kept), or take a mirror (downloads.mirror)"
        raise UserError(f"{where}: {remedy}") from error
    if checked.mismatches:
        names = ", ".join(one["path"] for one in checked.mismatches)
        shutil.rmtree(part)
        said = "not the bytes whose hash the hub has; they were deleted: run again"
        raise UserError(f"{where}: {names}: {said}")
    files = [path.relative_to(part) for path in part.rglob("*") if path.is_file()]
    names = sorted(str(path) for path in files if path.parts[0] != ".cache")
    names = [name for name in names if name not in checked.extra_paths]
    if not any(name in WEIGHT_FILES for name in names):
        shutil.rmtree(part)
        raise UserError(
            f"{where}: has no model.safetensors at this commit, and pickled weights are not read; "
            "convert it (docs/paper-grid.md) and give the folder as `path`"
        )
    listed = [_listed(part, name) for name in names]
    return model_folders.file_list(model, listed, f"{endpoint}/{model.repository}")
