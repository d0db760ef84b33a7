"""Alignment and uniformity of a batch of vectors (Wang and Isola 2020), logged while tuning."""

import math

import torch
from torch.nn import functional


@torch.no_grad()
def alignment(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Return the mean squared distance of the two views [B, D] of a string, on the unit sphere.

    Between 0 (all views alike) and 4. A scalar on the device of the vectors.
    """
    return (functional.normalize(first) - functional.normalize(second)).square().sum(1).mean()


@torch.no_grad()
def uniformity(vectors: torch.Tensor) -> torch.Tensor:
    """Return log mean exp(-2 d^2) over the distances d of all pairs of vectors [B, D], B > 1.

    On the unit sphere: 0 where all are alike, the less the more evenly they are spread.
    """
    unit = functional.normalize(vectors)
    pairs = len(unit) * (len(unit) - 1)
    # of unit vectors d^2 = 2 - 2 cos
    exponents = (unit @ unit.T - 1) * 4
    exponents.fill_diagonal_(float("-inf"))
    return exponents.flatten().logsumexp(0) - math.log(pairs)
