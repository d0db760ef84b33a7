"""Contrastive losses over pairs of vectors, and the measures of them that a tuning logs."""

import math

import torch
from torch.nn import functional

from workflow_scripts.tuning.devices import to_device
from workflow_scripts.tuning.recipe import Retrieval, Similarity


def nt_xent_loss(
    first: torch.Tensor,
    second: torch.Tensor,
    temperature: float,
    denominator: str = "with_positive",
) -> torch.Tensor:
    """Return the InfoNCE loss (paper Eq. 1) of B pairs, rows of [B, D]: the mean over 2B anchors.

    Similarity is cosine over `temperature`. The negatives of an anchor are the 2B - 2 vectors of
    other strings; the denominator holds the positive too (`with_positive`, the authors' code) or
    not (`negatives_only`, as printed). Raises `ValueError` for fewer than two pairs.
    """
    pairs = first.shape[0]
    if pairs < 2 or first.shape != second.shape:
        raise ValueError(f"need two views of at least two strings: {first.shape}")
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


def in_batch_loss(
    first: torch.Tensor, second: torch.Tensor, temperature: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return SimCSE's loss of B pairs, rows of [B, D], and the share that find their own.

    Each first vector has to find its second one among those of the batch, by cosine over
    `temperature` (Gao et al. 2021, Eq. 1): the mean over B anchors.
    """
    similarities = functional.normalize(first) @ functional.normalize(second).T / temperature
    return label_loss(similarities, torch.arange(len(similarities)))


def label_loss(logits: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the mean cross-entropy of logits [B, classes] and the share that is right.

    `labels` [B] are on the host.
    """
    labels = to_device(labels, logits.device)
    right = (logits.detach().argmax(dim=1) == labels).to(logits.dtype).mean()
    return functional.cross_entropy(logits, labels), right


def retrieval_loss(
    sources: torch.Tensor, targets: torch.Tensor, choices: Retrieval
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return L_s + L_t of vectors [B, D], and the share of sources that find their target.

    The similarities of translations lose a margin; each source has to find its target among those
    of the batch (L_s) and each target its source (L_t). Source: CMLM, section 4.2.
    """
    similarities = _similarities(sources, targets, choices)
    pairs = torch.arange(len(similarities), device=similarities.device)
    hits = (similarities.detach().argmax(dim=1) == pairs).to(similarities.dtype).mean()
    itself = torch.eye(len(similarities), dtype=similarities.dtype, device=similarities.device)
    lowered = similarities - choices.margin * choices.logit_scale * itself
    forward = functional.cross_entropy(lowered, pairs)
    return forward + functional.cross_entropy(lowered.T, pairs), hits


def neighbour_loss(
    vectors: torch.Tensor, near: torch.Tensor, choices: Similarity
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return QuickThought's loss of vectors [B, D] and the share of strings that find a neighbour.

    `near` (bool [B, B]) has the neighbours of each, which are to share the probability of all the
    others of the batch (Logeswaran and Lee 2018, section 3). Both are means over the strings that
    have neighbours.
    """
    similarities = _similarities(vectors, vectors, choices)
    targets = near.to(similarities.dtype)
    targets = targets / targets.sum(dim=1, keepdim=True).clamp(min=1)
    itself = torch.eye(len(near), dtype=torch.bool, device=near.device)
    others = similarities.masked_fill(itself, float("-inf"))
    has = near.any(dim=1)
    count = has.sum().clamp(min=1).to(similarities.dtype)
    hits = near.gather(1, others.detach().argmax(dim=1, keepdim=True)).sum() / count
    losses = others.logsumexp(dim=1) - (similarities * targets).sum(dim=1)
    return (losses * has).sum() / count, hits


def _similarities(ones: torch.Tensor, others: torch.Tensor, choices: Similarity) -> torch.Tensor:
    """Return the similarity of each of `ones` [B, D] to each of `others`, [B, B]."""
    if choices.normalize:
        ones, others = functional.normalize(ones), functional.normalize(others)
    return ones @ others.T * choices.logit_scale


@torch.no_grad()
def alignment(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Return the mean squared distance, 0 to 4, of two views [B, D] (Wang and Isola 2020)."""
    return (functional.normalize(first) - functional.normalize(second)).square().sum(1).mean()


@torch.no_grad()
def uniformity(vectors: torch.Tensor) -> torch.Tensor:
    """Return log mean exp(-2 d^2) over distances of pairs of vectors [B, D]; 0 if all are alike."""
    unit = functional.normalize(vectors)
    pairs = len(unit) * (len(unit) - 1)
    # of unit vectors d^2 = 2 - 2 cos
    exponents = (unit @ unit.T - 1) * 4
    exponents.fill_diagonal_(float("-inf"))
    return exponents.flatten().logsumexp(0) - math.log(pairs)
