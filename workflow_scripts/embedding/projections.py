"""The N views of a sentence vector that CMLM sets next to the next sentence (section 2, App. C)."""

import itertools
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn

from workflow_scripts.errors import UserError, damaged_file_error


class Projections(nn.Module):
    """The vector itself and `number` - 1 learned projections of it, multilayer perceptrons.

    FC(h, w, ReLU), then FC(w, w, ReLU) so often that there are `layers` in all, then FC(w, h), with
    w = `width` * h. All are computed together, as batched matrix products.
    """

    def __init__(self, size: int, number: int, width: float, layers: int, seed: int) -> None:
        super().__init__()
        inner = round(size * width)
        sizes = [size, *[inner] * (layers - 1), size]
        generator = torch.Generator().manual_seed(seed)
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        # with N = 1 there is nothing to learn
        for before, after in itertools.pairwise(sizes) if number > 1 else ():
            # as torch.nn.Linear draws them
            bound = before**-0.5
            shapes = ((number - 1, before, after), (number - 1, 1, after))
            weight, bias = (
                nn.Parameter(torch.empty(shape).uniform_(-bound, bound, generator=generator))
                for shape in shapes
            )
            self.weights.append(weight)
            self.biases.append(bias)

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return views [B, N, h] of vectors [B, h]; the first of each is the vector."""
        if not len(self.weights):
            return vectors.unsqueeze(1)
        states = vectors.expand(len(self.weights[0]), *vectors.shape)
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            states = torch.baddbmm(bias, states.relu() if layer else states, weight)
        return torch.cat([vectors.unsqueeze(1), states.transpose(0, 1)], dim=1)

    @classmethod
    def of_file(cls, path: Path) -> "Projections":
        """Return those that an encoder was trained with; `UserError` where the file has none."""
        own = "own.projections."
        with damaged_file_error(path, "make the encoder again"):
            stored = {name.removeprefix(own): weight for name, weight in load_file(path).items()}
            weights = [stored[key] for key in sorted(stored) if key.startswith("weights.")]
            if not weights:
                remedy = "use pooling mean, which is the same"
                raise UserError(path, "it contains no projections", remedy)
            number, size, inner = weights[0].shape
            module = cls(size, number + 1, inner / size, len(weights), seed=0)
            module.load_state_dict({key: stored[key] for key in module.state_dict()})
        return module
