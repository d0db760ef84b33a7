"""One training step, plainly: the strings of a batch become vectors, the vectors a loss.

This is what a step of every method with a loss of vectors alone amounts to. `BatchGradients` gives
the same gradients faster: it leaves out padding, shares a batch among threads and processes, and
holds no more of it in memory than fits. Methods that mask tokens (`MaskedPasses`) add the
cross-entropy of the masked ones in the same manner.
"""

from collections.abc import Callable, Sequence

import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.pooling import pool_hidden_states
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import pad_token_ids


def plain_vectors(
    loaded: LoadedModel, token_ids: Sequence[Sequence[int]], settings: EncoderSettings
) -> torch.Tensor:
    """Return the vectors [R, D] of strings, with gradients: one pass, padded to the maximum."""
    padding = loaded.tokenizer.pad_token_id
    input_ids, mask = pad_token_ids(token_ids, padding, settings.max_length)
    output = loaded.model(input_ids=input_ids, attention_mask=mask)
    states, pooled = output.last_hidden_state, output.get("pooler_output")
    return pool_hidden_states(states, mask, settings.pooling, pooled)


def plain_step(
    loaded: LoadedModel,
    sides: Sequence[Sequence[Sequence[int]]],
    settings: EncoderSettings,
    loss_of: Callable[[torch.Tensor], torch.Tensor],
    optimiser: torch.optim.Optimizer,
) -> float:
    """Take one step and return its loss, which is of the vectors of both sides [R, D].

    `sides` are the token ids of the first strings of all pairs, then of the second ones.
    """
    vectors = torch.cat([plain_vectors(loaded, side, settings) for side in sides])
    loss = loss_of(vectors)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return loss.item()
