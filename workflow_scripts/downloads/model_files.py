"""Which files make a model: known without loading torch."""

from pathlib import Path

from workflow_scripts.errors import UserError

WEIGHT_FILES = ("model.safetensors", "model.safetensors.index.json")
TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "*.model")
# What is fetched of a repository of the hub; `*` also stands for folders. Never pickled weights.
HUB_PATTERNS = ["*.json", "*.safetensors", "*.txt", "*.model"]


def check_model_files(folder: Path, source: str) -> None:
    """Raise `UserError` where config, weights or tokenizer files are missing."""
    if not (folder / "config.json").is_file():
        raise UserError(f"{source}: no config.json; give a folder written by save_pretrained")
    if not any((folder / name).is_file() for name in WEIGHT_FILES):
        raise UserError(
            f"{source}: no model.safetensors; fetch the weights again, or save the model with "
            "save_pretrained (pickled weights are not read)"
        )
    if not any(any(folder.glob(pattern)) for pattern in TOKENIZER_FILES):
        raise UserError(f"{source}: no tokenizer.json or vocabulary; save the tokenizer there too")
