"""Pooling and maximum length of an encoder, as given or as its own record says."""

import argparse
from pathlib import Path
from typing import Any

from workflow_scripts.embedding.pooling_names import POOLINGS
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json

DEFAULT_MAX_LENGTH = 64
_NO_LIMIT = 100_000


# Modules of sentence-transformers that leave cosines as they are.
_HARMLESS = ("Normalize",)
_OLD_POOLINGS = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}


def read_encoder_record(model: str) -> dict[str, Any]:
    """Return the record of an encoder that Mirror tuning wrote, {} for any other model."""
    record = Path(model).expanduser() / "encoder.json"
    return read_json(record) if record.is_file() else {}


def add_pooling_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that `settle_pooling` takes."""
    parser.add_argument(
        "--pooling", choices=POOLINGS, help="default: what the encoder's own record says"
    )
    parser.add_argument(
        "--max-length",
        type=int,
        help=f"tokens a string is cut to (default: the encoder's own, else {DEFAULT_MAX_LENGTH})",
    )


def settle_pooling(model: str, pooling: str | None, max_length: int | None) -> tuple[str, int]:
    """Return pooling and maximum length: as given, else as the encoder's record says.

    The record is that of Mirror tuning, or what sentence-transformers saved with a folder of its
    own. Raises `UserError` where neither says a pooling that this project has.
    """
    record = read_encoder_record(model) or _read_sentence_transformers_record(model)
    pooling = pooling or record.get("pooling")
    if pooling is None:
        raise UserError(
            f"--pooling: {model} does not record one; give --pooling {'|'.join(POOLINGS)}"
        )
    if max_length is None:
        max_length = record.get("max_length", DEFAULT_MAX_LENGTH)
    return pooling, max_length


def _read_sentence_transformers_record(model: str) -> dict[str, Any]:
    """Return pooling and max_length of a folder of sentence-transformers, {} for any other model.

    Left to be given are those of folders with modules beside a transformer, pooling and scaling to
    unit length, and of a pooling other than cls and mean.
    """
    folder = Path(model).expanduser()
    if not (folder / "modules.json").is_file():
        return {}
    kinds = {
        entry["type"].rpartition(".")[2]: entry for entry in read_json(folder / "modules.json")
    }
    if set(kinds) - {"Transformer", "Pooling", *_HARMLESS} or "Pooling" not in kinds:
        return {}
    record: dict[str, Any] = {}
    pooling = read_json(folder / kinds["Pooling"]["path"] / "config.json")
    modes = [mode for key, mode in _OLD_POOLINGS.items() if pooling.get(key)]
    others = [key for key in pooling if key.startswith("pooling_mode_") and pooling[key]]
    mode = pooling.get("pooling_mode", modes[0] if len(others) == len(modes) == 1 else None)
    if mode in _OLD_POOLINGS.values():
        record["pooling"] = mode
    for file, key in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("tokenizer_config.json", "model_max_length"),
    ):
        length = read_json(folder / file).get(key) if (folder / file).is_file() else None
        # transformers writes 10^30 where a tokenizer has no limit
        if isinstance(length, int) and length < _NO_LIMIT:
            record.setdefault("max_length", length)
    return record
