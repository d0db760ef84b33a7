"""Checkpoints of an unfinished training: one safetensors file, no pickle."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_file

_MOMENTS = ("exp_avg", "exp_avg_sq")


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
    tensors: dict[str, torch.Tensor] = {}
    for name, parameter in model.named_parameters():
        tensors[f"weight.{name}"] = parameter.detach().cpu().contiguous()
        for moment in _MOMENTS:
            if state := optimiser.state.get(parameter):
                tensors[f"{moment}.{name}"] = state[moment].detach().cpu().contiguous()
    with atomic_file(path) as temporary:
        save_file(tensors, temporary, metadata={"position": json.dumps(asdict(position))})


def load_checkpoint(
    path: Path, model: torch.nn.Module, optimiser: torch.optim.AdamW, digest: str
) -> Position:
    """Restore weights and moments in place and return the position.

    Raises `UserError` if the file is damaged or belongs to another training (its digest differs).
    """
    try:
        with safe_open(path, framework="pt") as stream:
            position = Position(**json.loads(stream.metadata()["position"]))
            if position.digest != digest:
                raise UserError(
                    f"{path}: the checkpoint of another training (settings, text or seed changed); "
                    "remove it to start anew"
                )
            for name, parameter in model.named_parameters():
                with torch.no_grad():
                    parameter.copy_(stream.get_tensor(f"weight.{name}"))
                if position.step and parameter.requires_grad:
                    optimiser.state[parameter] = {
                        "step": torch.tensor(float(position.step)),
                        **{
                            moment: stream.get_tensor(f"{moment}.{name}").to(parameter.device)
                            for moment in _MOMENTS
                        },
                    }
    except (SafetensorError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise UserError(f"{path}: a damaged checkpoint ({error}); remove it") from error
    return position
