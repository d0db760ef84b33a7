"""Contrastive losses over pairs of vectors."""

import torch
from torch.nn import functional


def nt_xent_loss(
    first: torch.Tensor,
    second: torch.Tensor,
    temperature: float,
    denominator: str = "with_positive",
) -> torch.Tensor:
    """Return the InfoNCE loss of B pairs (paper Eq. 1), a scalar: the mean over all 2B anchors.

    `first` and `second` are [B, D]; rows i of both are the two views of string i. Similarity is
    cosine over `temperature`. Every one of the 2B vectors is an anchor once; its negatives are the
    2B - 2 vectors of other strings. The denominator holds the positive and the negatives
    (`with_positive`, the authors' code) or, as Eq. 1 is printed, the negatives alone
    (`negatives_only`). Raises `ValueError` for fewer than two pairs or another denominator.
    """
    pairs = first.shape[0]
    if pairs < 2 or first.shape != second.shape:
        raise ValueError(
            f"need two views of at least two strings, got {first.shape}, {second.shape}"
        )
    vectors = functional.normalize(torch.cat([first, second]), dim=1)
    similarities = vectors @ vectors.T / temperature
    itself = torch.eye(2 * pairs, dtype=torch.bool, device=vectors.device)
    similarities = similarities.masked_fill(itself, float("-inf"))
    positives = torch.arange(2 * pairs, device=vectors.device).roll(pairs)
    if denominator == "with_positive":
        return functional.cross_entropy(similarities, positives)
    if denominator == "negatives_only":
        negatives = similarities.masked_fill(itself.roll(pairs, dims=0), float("-inf"))
        positive = similarities.gather(1, positives.unsqueeze(1)).squeeze(1)
        return (negatives.logsumexp(dim=1) - positive).mean()
    raise ValueError(f"unknown denominator {denominator!r}")
