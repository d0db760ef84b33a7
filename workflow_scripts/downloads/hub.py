"""The hub of models: which files are fetched, what a repository states, why the hub refuses."""

import re
from collections.abc import Sequence

from workflow_scripts.downloads.answers import reason_of
from workflow_scripts.downloads.model_files import (
    CONVERTED,
    HUB_PATTERNS,
    PICKLE,
    PICKLE_INDEX,
    PICKLE_SHARD,
    WEIGHT_FILES,
)
from workflow_scripts.downloads.model_folders import FILE_LIST, HubModel
from workflow_scripts.downloads.reachability import Answer
from workflow_scripts.errors import UserError


def is_pickle(name: str) -> bool:
    """Return whether a file of a repository is pickled weights, or lists them."""
    return name in (PICKLE, PICKLE_INDEX) or re.fullmatch(PICKLE_SHARD, name) is not None


def is_weights(name: str) -> bool:
    return name in WEIGHT_FILES or is_pickle(name)


def wanted_files(there: Sequence[str]) -> list[str]:
    """Return what to fetch of the files of a repository: a pickle only for want of safetensors."""
    from huggingface_hub.utils import filter_repo_objects

    patterns = [*HUB_PATTERNS]
    if PICKLE in there:
        patterns.append(PICKLE)
    elif PICKLE_INDEX in there:
        patterns += [name for name in there if is_pickle(name)]
    has_safetensors = any(name in WEIGHT_FILES for name in there)
    # the name of our list is not fetched
    passed_over = [FILE_LIST, *(filter(is_pickle, there) if has_safetensors else [])]
    names = filter_repo_objects(there, allow_patterns=patterns, ignore_patterns=passed_over)
    return sorted(names)


def refusal(error: Exception) -> UserError:
    """Return the message for an error of the hub's client, which raises many kinds."""
    from huggingface_hub import errors

    problem = f"{type(error).__name__}: {reason_of(error)}"
    remedy = "run again (complete files are kept), or use a mirror (downloads.mirror)"
    if isinstance(error, errors.RevisionNotFoundError):
        problem, remedy = "it has no such commit", "fix `revision`"
    elif isinstance(error, errors.GatedRepoError):
        problem = "its owner restricts access"
        remedy = "request access on its page, and set HF_TOKEN"
    elif isinstance(error, errors.RepositoryNotFoundError):
        problem = "there is no such model, or it is private"
        remedy = "fix `hub`, or set HF_TOKEN"
    return UserError(None, problem, remedy)


def no_weights() -> UserError:
    problem = f"has neither {CONVERTED} nor {PICKLE} at this commit"
    remedy = "choose another model, or convert its weights and give the folder as `path`"
    return UserError(None, problem, remedy)


def ask_hub(model: HubModel, timeout: float) -> Answer:
    """Fetch a model's list of files and the headers of its weights; download nothing.

    The size is that of the files that are fetched; a model has moved if it has another id now.
    """
    from huggingface_hub import HfApi, get_hf_file_metadata, hf_hub_url

    commit = {"revision": model.revision}
    try:
        options = {"files_metadata": True, "timeout": timeout}
        info = HfApi().model_info(model.repository, **commit, **options)
        sizes = {file.rfilename: file.size or 0 for file in info.siblings or []}
        names = wanted_files(list(sizes))
        # a list is shown of gated models too, their files are not
        for name in filter(is_weights, names):
            get_hf_file_metadata(hf_hub_url(info.id, name, **commit), timeout=timeout)
    except Exception as error:
        return Answer(problem=str(refusal(error)))
    if not any(map(is_weights, names)):
        return Answer(problem=str(no_weights()))
    moved_to = None if info.id == model.repository else info.id
    return Answer(sum(sizes[name] for name in names), moved_to)
