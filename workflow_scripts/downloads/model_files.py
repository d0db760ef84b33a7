"""Which files make a model: known without loading torch."""

import os
import re
from fnmatch import fnmatchcase
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json

CONVERTED = "model.safetensors"
WEIGHT_FILES = (CONVERTED, "model.safetensors.index.json")
TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "*.model")
CARD, LEARNING_CURVE = "README.md", "learning_curve.svg"
# What tuning, export_onnx and save_pretrained write into an encoder folder.
ENCODER_FILES = (
    *("encoder.json", CARD, LEARNING_CURVE, "config.json", "generation_config.json"),
    "model*.safetensors*",
    *("training_modules.safetensors", "*modules.json", "*sentence_transformers.json"),
    *("sentence_bert_config.json", "?_*/config.json", "?_*/model.safetensors", "onnx/*.onnx"),
    *(*TOKENIZER_FILES, "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"),
    *("merges.txt", "chat_template.jinja"),
)
# Files next to config.json that no vector depends on: texts for readers, files of the repository,
# weights in formats that are not read, and the record, whose pooling and length are compared where
# they are used. Any other file may matter: tokenizers read files of many names.
_OF_NO_VECTOR = (
    *(CARD, LEARNING_CURVE, "LICENSE*", ".*", "encoder.json"),
    *("*.bin", "*.h5", "*.msgpack", "*.ot", "*.pt", "*.pth", "*.onnx", "*.tflite", "*.gguf"),
)
# the second holds for the hub where the first is not set, as huggingface_hub reads them
_OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_TRUE = ("1", "ON", "YES", "TRUE")
# Which files of a hub repository are fetched; `*` also stands for folders.
HUB_PATTERNS = ["*.json", "*.safetensors", "*.txt", "*.model"]
# Pickled weights, in one file or several: fetched where there are no others, to be converted.
PICKLE, PICKLE_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
PICKLE_SHARD = r"pytorch_model-\d+-of-\d+\.bin"


def local_path(source: str) -> Path:
    """Return a model's name as a path; `~` is the home folder, and itself where nobody has one."""
    return Path(os.path.expanduser(source))


def resolve_model_folder(source: str) -> Path:
    """Return the folder of a model: a local one as it is, or that of a hub id (`name@revision`)."""
    if not source:
        raise UserError("`model`", "its name is empty", "give its folder or hub id")
    folder = local_path(source)
    if folder.is_dir():
        return folder
    name, _, revision = source.partition("@")
    if folder.exists():
        raise UserError(source, "not a folder", "give the folder that holds config.json")
    if not re.fullmatch(r"[\w-][\w.-]*(/[\w-][\w.-]*)?", name):
        raise UserError(source, "no such model folder", "check the path")
    from huggingface_hub import snapshot_download

    variable = hub_offline_variable()
    try:
        # with the card, whose licence and language encoders made of the model have
        patterns = [*HUB_PATTERNS, "README.md"]
        return Path(snapshot_download(name, revision=revision or None, allow_patterns=patterns))
    except Exception as error:  # the hub client raises many kinds, from httpx's to its own
        if variable is not None:
            raise UserError(
                source,
                f"no such folder, nor a cached hub model while {variable} is set, which forbids "
                "using the hub",
                f"check the path, or set {variable}=0",
            ) from error
        raise UserError(
            source,
            f"no such folder, and as a hub id it could not be fetched ({type(error).__name__})",
            "check the name, or download the model and give its folder",
        ) from error


def is_model_file(name: str) -> bool:
    """Tell whether a file is of the kinds that are fetched."""
    return any(fnmatchcase(name, pattern) for pattern in HUB_PATTERNS)


def check_model_files(folder: Path, source: str) -> None:
    """Raise `UserError` if the config, the weights or the tokenizer files are missing.

    Also if the list of shards is malformed, or names a file that is not next to it.
    """
    if not (folder / "config.json").is_file():
        raise UserError(source, "no config.json", "give a folder written by save_pretrained")
    if not any((folder / name).is_file() for name in WEIGHT_FILES):
        if (folder / "encoder.json").is_file():
            raise UserError(
                source,
                "no model.safetensors: a run removes weights that `keep_encoders` does not keep",
                "recreate them with the config of that run: "
                f"snakemake --cores 2 {folder / CONVERTED}",
            )
        raise UserError(
            source,
            "no model.safetensors",
            "fetch the weights again, or save the model with save_pretrained (pickled weights are "
            "not read; fetch_model converts those of the hub)",
        )
    single, index = (folder / name for name in WEIGHT_FILES)
    if not single.is_file():
        shards_of(index, r"[^/]*\.safetensors", source, "copy the folder from a complete model")
    if not any(any(folder.glob(pattern)) for pattern in TOKENIZER_FILES):
        raise UserError(source, "no tokenizer.json or vocabulary", "save the tokenizer there too")


def shards_of(index: Path, pattern: str, where: str | None, remedy: str) -> dict[str, str]:
    """Return the file of weights of each tensor, by its name, from an index of shards.

    Raises `UserError`, which begins with `where`, unless the names of the files match `pattern` and
    the files are next to the index.
    """
    content = read_json(index)
    shards = content.get("weight_map") if isinstance(content, dict) else None
    if not isinstance(shards, dict) or not shards:
        raise UserError(where, f"{index.name} has no `weight_map`", remedy)
    for shard in shards.values():
        if not (isinstance(shard, str) and re.fullmatch(pattern, shard)):
            problem = (
                f"{index.name} names {str(shard)[:80]!r}, which is not a file of weights next to it"
            )
            raise UserError(where, problem, remedy)
        if not (index.parent / shard).is_file():
            raise UserError(where, f"no {shard}, which {index.name} names", remedy)
    return shards


def vector_files(folder: Path) -> list[str]:
    """Return the names of the files of a model that its vectors depend on; none without a folder.

    Subfolders hold none: pooling is that of a command or of a recipe, and what vectors go through
    after it has a hash of its own.
    """
    paths = folder.iterdir() if folder.is_dir() else ()
    names = sorted(path.name for path in paths if path.is_file())
    return [name for name in names if not any(fnmatchcase(name, kind) for kind in _OF_NO_VECTOR)]


def check_replaceable(option: str, folder: Path) -> None:
    """Raise `UserError` by `option` unless a folder is empty or holds an encoder of ours alone."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir()]
    record = folder / "encoder.json"
    made = read_json(record) if record.is_file() else None
    if files and not (isinstance(made, dict) and "weights_sha256" in made):
        raise UserError(
            f"{option} {folder}", "holds no encoder, and is not replaced", "choose another"
        )
    ours = {path for pattern in ENCODER_FILES for path in folder.glob(pattern)}
    for path in files:
        if path not in ours:
            name = path.relative_to(folder)
            raise UserError(
                f"{option} {folder}",
                f"{name} is not part of an encoder, and is not deleted",
                "move it",
            )


def hub_offline_variable() -> str | None:
    """Return the environment variable that forbids asking the hub; None where it may be asked."""
    for name in _OFFLINE_VARIABLES:
        if value := os.environ.get(name):
            return name if value.upper() in _TRUE else None
    return None
