"""Encoder folders on the Hugging Face hub."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from workflow_scripts.downloads.answers import reason_of
from workflow_scripts.downloads.model_files import (
    ENCODER_FILES,
    check_model_files,
    hub_offline_variable,
)
from workflow_scripts.embedding.card_metadata import change_metadata, read_card
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_text, write_text


@dataclass(frozen=True)
class CardOptions:
    """What the card says to the hub beyond what it has of the pretrained model.

    Args:
        language: language codes, such as en
        license: licence of the encoder, such as apache-2.0
        datasets: hub ids of the data sets that the encoder was tuned on
        base_model: hub id of the pretrained model
    """

    language: Sequence[str] = ()
    license: str | None = None
    datasets: Sequence[str] = ()
    base_model: str | None = None

    def as_metadata(self) -> dict[str, Any]:
        """Return the keys of the front matter that are set."""
        lists = {
            key: [*value] if isinstance(value, tuple) else value
            for key, value in asdict(self).items()
        }
        return {key: value for key, value in lists.items() if value}


def check_repository(repository: str) -> None:
    """Raise `UserError` for an invalid id of the hub, and if nothing can be written there."""
    from huggingface_hub import get_token
    from huggingface_hub.utils import HFValidationError, validate_repo_id

    where = f"repository {repository}"
    try:
        validate_repo_id(repository)
    except HFValidationError as error:
        raise UserError(where, "not an id of the hub", "give owner/name") from error
    if (variable := hub_offline_variable()) is not None:
        problem = f"{variable} is set, which forbids using the hub"
        raise UserError(where, problem, f"set {variable}=0")
    if get_token() is None:
        remedy = "run `hf auth login`, or set HF_TOKEN to a token with write access"
        raise UserError(where, "no hub token on this machine", remedy)


def push_folder(
    folder: Path,
    repository: str,
    *,
    private: bool = False,
    metadata: Mapping[str, Any] | None = None,
) -> str:
    """Upload an encoder folder to the hub in one commit; return the address of the repository.

    The repository is made where it is not there, and seen by its owner alone with `private`.
    `metadata` are keys of the front matter, written into the card first. Raises `UserError` for a
    folder without an encoder, for a card that the hub would refuse, and where the hub cannot be
    reached or does not let this user write.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    check_repository(repository)
    check_model_files(folder, str(folder))
    card = folder / "README.md"
    if not card.is_file() or not (folder / "encoder.json").is_file():
        raise UserError(folder, "no encoder", "give a folder that tune or Encoder.save wrote")
    text = read_text(card)
    changed = change_metadata(text, metadata or {}, card)
    read_card(changed, card)
    if changed != text:
        write_text(card, changed)
    api, where = HfApi(), f"repository {repository}"
    try:
        # of one that already exists the visibility stays
        url = api.create_repo(repository, private=private or None, exist_ok=True)
        api.upload_folder(
            repo_id=url.repo_id,
            folder_path=folder,
            commit_message="Upload an encoder of mirror-bert",
            allow_patterns=[*ENCODER_FILES],
        )
    except HfHubHTTPError as error:
        status = error.response.status_code
        if status in (401, 403):
            remedy = "set HF_TOKEN to a token with write access there, or give another owner"
            raise UserError(where, "the hub refuses this token", remedy) from error
        problem = f"the hub refuses ({status}: {reason_of(error)})"
        raise UserError(where, problem, "check the id and the card") from error
    except Exception as error:  # the client raises many kinds, from httpx's to its own
        problem = f"the hub cannot be reached ({type(error).__name__}: {reason_of(error)})"
        raise UserError(where, problem, "check the network and run it again") from error
    return str(url)
