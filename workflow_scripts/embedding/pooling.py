"""From the last hidden states of a batch to one vector a string.

What the authors' released code calls "mean" is `mean_padded` here; it gave the BERT rows of the
paper's Table 3. Everything else that the paper tunes is pooled by `cls` (section 3).
"""

import torch

from workflow_scripts.embedding.settings import POOLINGS


def pool_hidden_states(
    hidden_states: torch.Tensor,
    attention_mask: torch.Tensor,
    pooling: str,
    pooler_output: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return vectors [B, D] of hidden states [B, T, D] with attention mask [B, T] (1 = real token).

    Padding must stand on the right. `mean_padded` averages over all T positions, so T must be the
    recipe's maximum length, whatever the batch holds. `pooler` needs `pooler_output` [B, D]. Means
    over no token are the zero vector: `mean_pieces` of a string without any piece.
    """
    if pooling == "cls":
        return hidden_states[:, 0]
    if pooling == "max":
        padding = attention_mask.unsqueeze(-1) == 0
        return hidden_states.masked_fill(padding, -torch.inf).amax(dim=1)
    if pooling in ("mean", "mean_pieces"):
        taken = attention_mask
        if pooling == "mean_pieces":
            # Not the first, and of the others those that a real token follows.
            taken = torch.zeros_like(attention_mask)
            taken[:, 1:-1] = attention_mask[:, 2:]
        mask = taken.unsqueeze(-1).to(hidden_states.dtype)
        return (hidden_states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1.0)
    if pooling == "mean_padded":
        return hidden_states.mean(dim=1)
    if pooling == "pooler":
        if pooler_output is None:
            raise ValueError("pooling 'pooler' needs the output of a pooler layer")
        return pooler_output
    raise ValueError(f"unknown pooling {pooling!r}; known are {', '.join(POOLINGS)}")
