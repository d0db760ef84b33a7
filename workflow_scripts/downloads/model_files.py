"""Which files make a model: known without loading torch."""

from pathlib import Path

from workflow_scripts.errors import UserError

CONVERTED = "model.safetensors"
WEIGHT_FILES = (CONVERTED, "model.safetensors.index.json")
TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "*.model")
# What is fetched of a repository of the hub; `*` also stands for folders.
HUB_PATTERNS = ["*.json", "*.safetensors", "*.txt", "*.model"]
# Pickled weights, in one file or several: fetched where there are no others, to be converted.
PICKLE, PICKLE_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
PICKLE_SHARD = r"pytorch_model-\d+-of-\d+\.bin"


def check_model_files(folder: Path, source: str) -> None:
    """Raise `UserError` where config, weights or tokenizer files are missing."""
    if not (folder / "config.json").is_file():
        raise UserError(f"{source}: no config.json; give a folder written by save_pretrained")
    if not any((folder / name).is_file() for name in WEIGHT_FILES):
        raise UserError(
            f"{source}: no model.safetensors; fetch the weights again, or save the model with "
            "save_pretrained (pickled weights are not read; fetch_model converts those of the hub)"
        )
    if not any(any(folder.glob(pattern)) for pattern in TOKENIZER_FILES):
        raise UserError(f"{source}: no tokenizer.json or vocabulary; save the tokenizer there too")
