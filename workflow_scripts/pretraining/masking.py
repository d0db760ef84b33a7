"""Masking of pieces for masked language modelling (Devlin et al. 2019, section 3.1)."""

import numpy as np

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
    """Return (input ids, labels), both int64 [sequences, length].

    Each position of `ids` where `special` (bool, same shape) is false is chosen with probability
    `masked`, independently; if none is, one is chosen. Of the chosen, 80% become `mask_id`, 10% a
    piece drawn evenly from `ordinary` (int [number of pieces]), 10% stay. Labels are the true ids
    at chosen positions and -100 elsewhere. Raises `ValueError` if every position is special.
    """
    if special.all():
        raise ValueError("nothing to mask: all positions are special tokens")
    chosen = (generator.random(ids.shape) < masked) & ~special
    if not chosen.any():
        candidates = np.flatnonzero(~special)
        chosen.flat[generator.choice(candidates)] = True
    labels = np.where(chosen, ids, IGNORED)
    kind = generator.random(ids.shape)
    inputs = np.where(chosen & (kind < _SHARE_MASK_TOKEN), mask_id, ids)
    random_here = chosen & (kind >= _SHARE_MASK_TOKEN) & (kind < _SHARE_MASK_TOKEN + _SHARE_RANDOM)
    inputs = np.where(random_here, generator.choice(ordinary, size=ids.shape), inputs)
    return inputs.astype(np.int64), labels.astype(np.int64)
