"""Command: upload an encoder folder to the Hugging Face hub."""

from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.embedding.hub_upload import CardOptions, push_folder
from workflow_scripts.errors import UserError
from workflow_scripts.path_functions import command

EXAMPLE = """
COMMAND my-encoder my-name/my-encoder --private --license apache-2.0 --language en
"""


def push(folder: Path, repository: str, /, *, private: bool = False, card: CardOptions) -> None:
    """Upload an encoder folder to the Hugging Face hub, from which others can load it.

    The repository is created if it does not exist. The token comes from `hf auth login` or
    HF_TOKEN. The options for the card are first written into README.md of the folder.

    Args:
        folder: encoder folder
        repository: id of the repository on the hub, owner/name
        private: make a new repository private
    """
    if not folder.is_dir():
        raise UserError(folder, "no such folder", "give one that tune wrote")
    url = push_folder(folder, repository, private=private, metadata=card.as_metadata())
    print(f"encoder uploaded to {url}; load it with")
    print("  from sentence_transformers import SentenceTransformer")
    print(f"  encoder = SentenceTransformer({repository!r})")


main = command(push, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
