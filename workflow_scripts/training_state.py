"""The state of an unfinished training: one safetensors file, no pickle."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_file

_MOMENTS = ("exp_avg", "exp_avg_sq")


def save_state(
    path: Path,
    model: torch.nn.Module,
    optimiser: torch.optim.AdamW,
    position: Mapping[str, Any],
    others: Mapping[str, torch.Tensor] | None = None,
) -> None:
    """Write weights, moments of AdamW, `position` (as JSON) and `others`, whole or not at all."""
    tensors = {f"other.{name}": _as_saved(tensor) for name, tensor in (others or {}).items()}
    for name, parameter in model.named_parameters():
        tensors[f"weight.{name}"] = _as_saved(parameter)
        for moment in _MOMENTS:
            if state := optimiser.state.get(parameter):
                tensors[f"{moment}.{name}"] = _as_saved(state[moment])
    with atomic_file(path) as temporary:
        save_file(tensors, temporary, metadata={"position": json.dumps(dict(position))})


def _as_saved(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().cpu().contiguous()


def read_position(path: Path) -> dict[str, Any]:
    """Return the position in a state file; `UserError` if the file is damaged."""
    try:
        with safe_open(path, framework="pt") as stream:
            position = json.loads(stream.metadata()["position"])
            if not isinstance(position, dict):
                raise ValueError("no position")
            return position
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path}: a damaged checkpoint ({error}); remove it") from error


def load_state(
    path: Path, model: torch.nn.Module, optimiser: torch.optim.AdamW, step: int
) -> dict[str, torch.Tensor]:
    """Restore weights and moments in place and return the other tensors.

    `step` is how many steps the optimiser has done. Raises `UserError` if the file is damaged or
    of another model.
    """
    try:
        with safe_open(path, framework="pt") as stream, torch.no_grad():
            names = set(stream.keys())
            for name, parameter in model.named_parameters():
                parameter.copy_(stream.get_tensor(f"weight.{name}"))
                if f"{_MOMENTS[0]}.{name}" in names:
                    moments = {
                        moment: stream.get_tensor(f"{moment}.{name}").to(parameter.device)
                        for moment in _MOMENTS
                    }
                    optimiser.state[parameter] = {"step": torch.tensor(float(step)), **moments}
            return {
                name.removeprefix("other."): stream.get_tensor(name)
                for name in sorted(names)
                if name.startswith("other.")
            }
    except (SafetensorError, RuntimeError) as error:
        raise UserError(f"{path}: a damaged checkpoint ({error}); remove it") from error
