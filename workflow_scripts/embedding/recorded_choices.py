"""Pooling and maximum length of an encoder, as given or as its own record says."""

import argparse
from pathlib import Path
from typing import Any

from workflow_scripts.embedding.pooling_names import POOLINGS
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json

DEFAULT_MAX_LENGTH = 64


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
    """Return pooling and maximum length: as given, else as the encoder's record says."""
    record = read_encoder_record(model)
    pooling = pooling or record.get("pooling")
    if pooling is None:
        raise UserError(
            f"--pooling: {model} does not record one; give --pooling {'|'.join(POOLINGS)}"
        )
    if max_length is None:
        max_length = record.get("max_length", DEFAULT_MAX_LENGTH)
    return pooling, max_length
