"""Masking of pieces (Devlin et al. 2019, section 3.1)."""

import numpy as np

# the label of a position without a prediction
IGNORED = -100
_SHARE_MASK_TOKEN = 0.8
_SHARE_RANDOM = 0.1


def mask_pieces(
    ids: np.ndarray,
    special: np.ndarray,
    masked: float,
    mask_id: int,
    ordinary: np.ndarray,
    generator: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (input ids, labels) of `corrupt`, each position chosen with probability `masked`.

    At least one of those that are not `special` (bool, shape of `ids`) is chosen.
    """
    if special.all():
        raise ValueError("nothing to mask: all positions are special tokens")
    chosen = (generator.random(ids.shape) < masked) & ~special
    if not chosen.any():
        chosen.flat[generator.choice(np.flatnonzero(~special))] = True
    return corrupt(ids, chosen, mask_id, ordinary, generator)


def choose_pieces(
    special: np.ndarray, counts: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    """Return the chosen positions, bool [sequences, length]: so many of each sequence, at random.

    A sequence of fewer positions that are not `special` (bool, same shape) has all of them chosen.
    """
    order = np.where(special, np.inf, generator.random(special.shape)).argsort(axis=1)
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(special.shape[1])[None, :], axis=1)
    return (ranks < counts[:, None]) & ~special


def corrupt(
    ids: np.ndarray,
    chosen: np.ndarray,
    mask_id: int,
    ordinary: np.ndarray,
    generator: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (input ids, labels), both int64 [sequences, length].

    Of the `chosen` positions (bool, same shape) 80% become `mask_id`, 10% a piece drawn evenly from
    `ordinary` and 10% stay. Labels are the true ids at chosen positions and -100 elsewhere.
    """
    labels = np.where(chosen, ids, IGNORED)
    kind = generator.random(ids.shape)
    inputs = np.where(chosen & (kind < _SHARE_MASK_TOKEN), mask_id, ids)
    random_here = chosen & (kind >= _SHARE_MASK_TOKEN) & (kind < _SHARE_MASK_TOKEN + _SHARE_RANDOM)
    inputs = np.where(random_here, generator.choice(ordinary, size=ids.shape), inputs)
    return inputs.astype(np.int64), labels.astype(np.int64)
