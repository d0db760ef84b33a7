"""Vectors of many strings: each unique one tokenised and run once, batched by length.

What runs a batch is torch here and ONNX Runtime in `onnx_encoding`; all else is the same.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.pooling import pool_hidden_states
from workflow_scripts.embedding.progress import Advance, embedding_progress, ignore_progress
from workflow_scripts.embedding.token_batches import (
    pad_token_ids,
    plan_batches,
    tokenize_strings,
)
from workflow_scripts.errors import UserError

# Positions (padding included) in one forward pass. On a CPU the hidden states of a batch should
# stay in its caches; a GPU wants enough work to be filled.
TOKEN_BUDGETS = {"cpu": 1024, "cuda": 32768}
PRECISIONS = ("float32", "auto", "float16", "bfloat16")


@dataclass(frozen=True)
class StringEncoder:
    """Strings to vectors. `run_batch` maps token ids and mask, both [B, T], to vectors [B, D]."""

    run_batch: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    tokenizer: PreTrainedTokenizerBase
    dimension: int
    pooling: str
    max_length: int
    token_budget: int

    @torch.inference_mode()
    def encode(self, strings: Sequence[str], advance: Advance = ignore_progress) -> np.ndarray:
        """Return float32 vectors [number of strings, D]; row i belongs to `strings[i]`.

        `advance` is told how many strings each batch finished.
        """
        unique = dict.fromkeys(strings)
        token_ids = tokenize_strings(self.tokenizer, list(unique), self.max_length)
        padded_length = self.max_length if self.pooling == "mean_padded" else None
        lengths = [padded_length or len(ids) for ids in token_ids]
        vectors = np.empty((len(unique), self.dimension), dtype=np.float32)
        for batch in plan_batches(lengths, self.token_budget):
            input_ids, attention_mask = pad_token_ids(
                [token_ids[index] for index in batch], self.tokenizer.pad_token_id, padded_length
            )
            vectors[batch] = self.run_batch(input_ids, attention_mask).float().cpu().numpy()
            advance(len(batch))
        if len(unique) == len(strings):
            return vectors
        advance(len(strings) - len(unique))
        rows = {string: row for row, string in enumerate(unique)}
        return vectors[[rows[string] for string in strings]]


def choose_precision(precision: str, device: torch.device) -> torch.dtype | None:
    """Return the type that matrix products are computed in, None for that of the weights.

    `auto` is float16 on CUDA (rounds eight times finer than bfloat16) and float32 elsewhere.
    Raises `UserError` for a half precision on a CPU, where it can be a hundred times slower.
    """
    if precision not in PRECISIONS:
        raise UserError(f"precision {precision!r} is unknown; use one of {', '.join(PRECISIONS)}")
    if precision == "auto":
        precision = "float16" if device.type == "cuda" else "float32"
    if precision == "float32":
        return None
    if device.type != "cuda":
        raise UserError(f"precision {precision} needs a CUDA device; use float32 or auto")
    return getattr(torch, precision)


def torch_encoder(
    loaded: LoadedModel,
    pooling: str,
    max_length: int,
    token_budget: int | None = None,
    precision: str = "float32",
) -> StringEncoder:
    """Return the encoder that runs `loaded` where it is; the model is put in eval mode.

    Raises `UserError` where the model cannot be pooled so, cannot take `max_length`, or
    `precision` (one of `PRECISIONS`) does not fit its device.
    """
    loaded.check_pooling(pooling, max_length)
    model = loaded.model.eval()
    device = next(model.parameters()).device
    dtype = choose_precision(precision, device)

    def run_batch(input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        attention_mask = attention_mask.to(device)
        mixed = torch.autocast(device.type, dtype) if dtype else nullcontext()
        with mixed:
            output = model(input_ids=input_ids.to(device), attention_mask=attention_mask)
        return pool_hidden_states(
            output.last_hidden_state.float(),
            attention_mask,
            pooling,
            output.get("pooler_output"),
        )

    return StringEncoder(
        run_batch,
        loaded.tokenizer,
        model.config.hidden_size,
        pooling,
        max_length,
        token_budget or TOKEN_BUDGETS.get(device.type, TOKEN_BUDGETS["cuda"]),
    )


def encode_strings(
    loaded: LoadedModel,
    strings: Sequence[str],
    pooling: str,
    max_length: int,
    token_budget: int | None = None,
    report: bool = False,
    precision: str = "float32",
) -> np.ndarray:
    """Return float32 vectors [number of strings, D]; row i belongs to `strings[i]`.

    The model is put in eval mode. Strings longer than `max_length` tokens are cut; equal strings
    are run once. `token_budget` is the positions of a batch, None for what suits the device.
    `report` shows progress on stderr. Same machine, thread count and strings: same bytes.
    """
    encoder = torch_encoder(loaded, pooling, max_length, token_budget, precision)
    if not report:
        return encoder.encode(strings)
    with embedding_progress(len(strings)) as advance:
        return encoder.encode(strings, advance)
