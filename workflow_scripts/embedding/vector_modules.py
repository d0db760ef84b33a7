"""What vectors go through after pooling: the Dense and Normalize modules of sentence-transformers.

LaBSE has a Dense layer with tanh, most models of the hub a Normalize; a PCA is a Dense layer
without activation.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import nn

from workflow_scripts.embedding.sentence_transformers_files import Module
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_json, write_json

_WEIGHTS = "model.safetensors"
_ACTIVATIONS = "torch.nn.modules."


class Dense(nn.Module):
    """A linear layer and an activation, as the Dense module of sentence-transformers.

    With `residual` the input is added to the output, by a linear layer of its own where their
    sizes differ.
    """

    def __init__(
        self, size: int, dimension: int, bias: bool, activation: nn.Module, residual: bool = False
    ) -> None:
        super().__init__()
        self.linear = nn.Linear(size, dimension, bias=bias)
        self.activation, self.is_residual = activation, residual
        if residual and size != dimension:
            self.residual = nn.Linear(size, dimension, bias=False)

    @property
    def dimension(self) -> int:
        return self.linear.out_features

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return vectors [B, `dimension`] of vectors [B, size]."""
        changed: torch.Tensor = self.activation(self.linear(vectors))
        if not self.is_residual:
            return changed
        return changed + (self.residual(vectors) if hasattr(self, "residual") else vectors)

    def config(self) -> dict[str, Any]:
        """Return its config.json, as sentence-transformers writes it."""
        kind = type(self.activation)
        content: dict[str, Any] = {
            "in_features": self.linear.in_features,
            "out_features": self.linear.out_features,
            "bias": self.linear.bias is not None,
            "activation_function": f"{kind.__module__}.{kind.__name__}",
        }
        return content | ({"use_residual": True} if self.is_residual else {})


class Normalize(nn.Module):
    """Scales vectors to unit length; a zero vector stays one."""

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        return nn.functional.normalize(vectors, dim=-1)

    def config(self) -> dict[str, Any]:
        """Return its config.json: nothing, for what sentence-transformers does by default."""
        return {}


@dataclass(frozen=True)
class VectorModules:
    """Modules that vectors of one pooling go through, in their order, with a hash of all of them.

    They are of `pooling` alone: vectors pooled in another way were never meant for them.
    """

    pooling: str
    modules: tuple[Dense | Normalize, ...]
    sha256: str = ""

    def __call__(self, vectors: torch.Tensor) -> torch.Tensor:
        for module in self.modules:
            vectors = module.to(vectors.device)(vectors)
        return vectors

    def dimension(self, size: int) -> int:
        """Return the units of a vector that they make of one of `size` units."""
        sizes = [module.dimension for module in self.modules if isinstance(module, Dense)]
        return sizes[-1] if sizes else size

    def check_size(self, size: int, source: str) -> None:
        """Raise `UserError` unless each takes what the one before gives, the first `size` units."""
        for module in self.modules:
            if isinstance(module, Dense):
                if module.linear.in_features != size:
                    problem = f"its Dense module takes {module.linear.in_features} units, not"
                    remedy = "use model and modules from the same folder"
                    raise UserError(source, f"{problem} {size}", remedy)
                size = module.dimension

    def folders(self) -> dict[str, str]:
        """Return the kind of each module by the folder that it is saved in."""
        kinds = (type(module).__name__ for module in self.modules)
        return {f"{number}_{kind}": kind for number, kind in enumerate(kinds, start=2)}

    def save(self, folder: Path) -> None:
        """Write the files of all modules below an encoder folder."""
        for name, module in zip(self.folders(), self.modules, strict=True):
            write_json(folder / name / "config.json", module.config())
            if isinstance(module, Dense):
                weights = {key: each.cpu() for key, each in module.state_dict().items()}
                save_file(weights, folder / name / _WEIGHTS, metadata={"format": "pt"})


def load_vector_modules(
    folder: Path, modules: Sequence[Module], pooling: str, source: str
) -> VectorModules:
    """Return the modules of a folder that stand behind its pooling; `source` is what errors name.

    Raises `UserError` for files that are missing or damaged, and for an activation that torch does
    not have.
    """
    loaded: list[Dense | Normalize] = []
    for module in modules:
        own = folder / module.path
        with damaged_file_error(own, "copy it from a complete model"):
            loaded.append(Normalize() if module.kind == "Normalize" else _load_dense(own, source))
    return VectorModules(pooling, tuple(loaded), hash_of_modules(loaded))


def hash_of_modules(modules: Sequence[Dense | Normalize]) -> str:
    """Return the SHA-256 of what the modules are and of their weights."""
    digest = hashlib.sha256()
    for module in modules:
        digest.update(f"{type(module).__name__} {sorted(module.config().items())}\n".encode())
        for key, weight in sorted(module.state_dict().items()):
            digest.update(key.encode() + weight.cpu().numpy().tobytes())
    return digest.hexdigest()


def _load_dense(folder: Path, source: str) -> Dense:
    config = read_json(folder / "config.json")
    if not (folder / _WEIGHTS).is_file():
        problem = f"{folder.name} has no {_WEIGHTS} (pickled weights are not read)"
        remedy = "load it in sentence-transformers and save it again (save_pretrained)"
        raise UserError(source, problem, remedy)
    activation = _activation(config.get("activation_function", f"{_ACTIVATIONS}Tanh"), source)
    sizes = (config["in_features"], config["out_features"], config.get("bias", True))
    dense = Dense(*sizes, activation, bool(config.get("use_residual")))
    weights = {key: each.float() for key, each in load_file(folder / _WEIGHTS).items()}
    dense.load_state_dict(weights)
    return dense.eval().requires_grad_(False)


def _activation(name: str, source: str) -> nn.Module:
    kind = getattr(nn, name.rpartition(".")[2], None) if name.startswith(_ACTIVATIONS) else None
    if not (isinstance(kind, type) and issubclass(kind, nn.Module)):
        problem = f"its Dense module has the activation {name}, which torch does not have"
        raise UserError(source, problem, "use sentence-transformers for this model")
    made: nn.Module = kind()
    return made
