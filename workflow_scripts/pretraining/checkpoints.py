"""Checkpoints of an unfinished pretraining."""

from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from workflow_scripts.errors import UserError
from workflow_scripts.training_state import load_state, read_position, save_state


@dataclass
class Position:
    """Where a training stands; `digest` tells what is trained on what and how."""

    digest: str
    step: int = 0
    stage: int = 0
    block: int = 0
    batch: int = 0
    tokens: int = 0
    seconds: float = 0.0


def save_checkpoint(
    path: Path, model: torch.nn.Module, optimiser: torch.optim.AdamW, position: Position
) -> None:
    """Write weights, moments of AdamW and the position, whole or not at all."""
    save_state(path, model, optimiser, asdict(position))


def load_checkpoint(
    path: Path, model: torch.nn.Module, optimiser: torch.optim.AdamW, digest: str
) -> Position:
    """Restore weights and moments in place and return the position.

    Raises `UserError` if the file is damaged or belongs to another training (its digest differs).
    """
    try:
        position = Position(**read_position(path))
    except TypeError as error:
        raise UserError(f"{path}: a damaged checkpoint ({error}); remove it") from error
    if position.digest != digest:
        raise UserError(
            f"{path}: the checkpoint of another training (settings, text or seed changed); "
            "remove it to start anew"
        )
    load_state(path, model, optimiser, position.step)
    return position
