"""The N views of a sentence vector that CMLM sets beside the next sentence (section 2, App. C)."""

from itertools import pairwise

import torch
from torch import nn


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
        for before, after in pairwise(sizes) if number > 1 else ():
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
