"""Pooling and maximum length of an encoder, as given or as its own record says."""

import argparse
from pathlib import Path
from typing import Any

from workflow_scripts.downloads.model_files import local_path
from workflow_scripts.embedding.pooling_names import POOLINGS
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_json

DEFAULT_MAX_LENGTH = 64
_NO_LIMIT = 100_000
_REMEDY = "take it from where the encoder is whole, or give --pooling and --max-length"
# where a prompt is that strings begin with
_PROMPTS = "config_sentence_transformers"
# Normalize leaves cosines as they are.
_KNOWN_MODULES = {"Transformer", "Pooling", "Normalize"}
_OLD_POOLINGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
}


def add_pooling_arguments(parser: argparse._ActionsContainer) -> None:
    """Add the options that `settle_pooling` takes."""
    parser.add_argument("--pooling", choices=POOLINGS, help="default: the encoder's own")
    length = f"tokens a string is cut to (default: the encoder's own, else {DEFAULT_MAX_LENGTH})"
    parser.add_argument("--max-length", type=int, help=length)


def settle_pooling(model: str, pooling: str | None, max_length: int | None) -> tuple[str, int]:
    """Return pooling and maximum length: as given, else as the encoder's folder records them."""
    record = recorded_choices(model)
    pooling = pooling or record.get("pooling")
    if pooling is None:
        known = "|".join(POOLINGS)
        # a hub id is no folder either
        called = model if local_path(model).is_dir() else f"{model}, no folder here,"
        raise UserError("--pooling", f"{called} does not record one", f"give --pooling {known}")
    if max_length is None:
        max_length = record.get("max_length", DEFAULT_MAX_LENGTH)
    return pooling, max_length


def recorded_choices(model: str) -> dict[str, Any]:
    """Return the record in an encoder's folder: pooling and max_length, as far as it has them."""
    folder = local_path(model)
    own = folder / "encoder.json"
    with damaged_file_error(own if own.is_file() else folder / "modules.json", _REMEDY):
        return _read_own_record(own) if own.is_file() else _read_other_record(folder)


def _read_own_record(path: Path) -> dict[str, Any]:
    """Return pooling and max_length as far as an encoder's own record has them."""
    kept = ("pooling", "max_length")
    found = {key: value for key, value in read_json(path).items() if key in kept}
    if not isinstance(found.get("max_length", 0), int):
        raise TypeError(f"max_length is {found['max_length']!r}")
    return found


def _read_other_record(folder: Path) -> dict[str, Any]:
    """Return pooling and max_length of a folder of sentence-transformers, as far as it is known."""

    def read(name: str) -> Any:
        return read_json(folder / name) if (folder / name).is_file() else {}

    kinds = {entry["type"].rpartition(".")[2]: entry for entry in read("modules.json")}
    if set(kinds) - _KNOWN_MODULES or "Pooling" not in kinds:
        return {}
    # strings are not changed here before they are encoded
    own, prompts = (read(f"{name}.json") for name in ("sentence_bert_config", _PROMPTS))
    if own.get("do_lower_case") or prompts.get("default_prompt_name"):
        return {}
    record: dict[str, Any] = {}
    pooling = read(f"{kinds['Pooling']['path']}/config.json")
    others = [key for key in pooling if key.startswith("pooling_mode_") and pooling[key]]
    old = _OLD_POOLINGS.get(others[0]) if len(others) == 1 else None
    if (mode := pooling.get("pooling_mode", old)) in _OLD_POOLINGS.values():
        record["pooling"] = mode
    lengths = [read("sentence_bert_config.json").get("max_seq_length")]
    lengths.append(read("tokenizer_config.json").get("model_max_length"))
    # transformers writes 10^30 where a tokenizer has no limit
    known = [length for length in lengths if isinstance(length, int) and length < _NO_LIMIT]
    return record | ({"max_length": known[0]} if known else {})
