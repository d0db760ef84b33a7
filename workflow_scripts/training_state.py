"""The state of an unfinished training: one safetensors file, no pickle."""

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from workflow_scripts.errors import damaged_file_error
from workflow_scripts.files import atomic_file


def save_state(
    path: Path,
    model: torch.nn.Module,
    optimiser: torch.optim.Optimizer,
    position: Mapping[str, Any],
    others: Mapping[str, torch.Tensor] | None = None,
    scaler: torch.amp.GradScaler | None = None,
) -> None:
    """Write weights, optimiser, scaler, `position` (as JSON) and `others`, whole or not at all."""
    tensors = {f"other.{name}": tensor for name, tensor in (others or {}).items()}
    for name, parameter in model.named_parameters():
        tensors[f"weight.{name}"] = parameter
        for key, value in optimiser.state.get(parameter, {}).items():
            tensors[f"state.{key}.{name}"] = torch.as_tensor(value)
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    scale = json.dumps(scaler.state_dict() if scaler else {})
    with atomic_file(path) as temporary:
        metadata = {"position": json.dumps(dict(position)), "scaler": scale}
        save_file(tensors, temporary, metadata=metadata)


def read_position(path: Path) -> dict[str, Any]:
    """Return the position in a state file; `UserError` if the file is damaged."""
    with damaged_file_error(path), safe_open(path, framework="pt") as stream:
        return dict(json.loads(stream.metadata()["position"]))


def load_state(
    path: Path,
    model: torch.nn.Module,
    optimiser: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler | None = None,
) -> dict[str, torch.Tensor]:
    """Restore all in place and return the others; `UserError` for a file of another model."""
    held = [id(parameter) for group in optimiser.param_groups for parameter in group["params"]]
    parameters = dict(model.named_parameters())
    state: dict[int, dict[str, torch.Tensor]] = defaultdict(dict)
    others = {}
    with (
        damaged_file_error(path),
        safe_open(path, framework="pt") as stream,
        torch.no_grad(),
    ):
        for name, parameter in parameters.items():
            parameter.copy_(stream.get_tensor(f"weight.{name}"))
        for stored in sorted(stream.keys()):
            kind, _, name = stored.partition(".")
            if kind == "other":
                others[name] = stream.get_tensor(stored)
            elif kind == "state":
                key, _, name = name.partition(".")
                state[held.index(id(parameters[name]))][key] = stream.get_tensor(stored)
        saved_scaler = json.loads(stream.metadata()["scaler"])
        # puts each tensor where the optimiser wants it: fused ones count steps on the device
        groups = optimiser.state_dict()["param_groups"]
        optimiser.load_state_dict({"state": dict(state), "param_groups": groups})
        if scaler is not None and saved_scaler:
            scaler.load_state_dict(saved_scaler)
    return others
