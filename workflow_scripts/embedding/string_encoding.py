"""Vectors of many strings: tokenised once, batched by length, in the order of the input."""

import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np
import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.pooling import pool_hidden_states
from workflow_scripts.embedding.token_batches import pad_token_ids, tokenize_strings

# Positions (padding included) in one forward pass: fills two to sixteen cores, needs little memory.
TOKEN_BUDGET = 4096
SECONDS_BETWEEN_REPORTS = 10.0


def plan_batches(lengths: Sequence[int], token_budget: int) -> Iterator[list[int]]:
    """Yield the indices of `lengths` in batches of similar length.

    Shortest first; a batch holds at most `token_budget` positions after padding to its longest,
    or one string where that alone is longer.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: lengths[index]):
        # Sorted, so the newcomer is the longest.
        if batch and (len(batch) + 1) * lengths[index] > token_budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


@torch.inference_mode()
def encode_strings(
    loaded: LoadedModel,
    strings: Sequence[str],
    pooling: str,
    max_length: int,
    token_budget: int = TOKEN_BUDGET,
    report: bool = False,
) -> np.ndarray:
    """Return float32 vectors [number of strings, D]; row i belongs to `strings[i]`.

    The model is put in eval mode. Strings longer than `max_length` tokens are cut. `report` prints
    progress to stderr. Same machine, thread count and strings: same bytes.
    """
    model, tokenizer = loaded.model, loaded.tokenizer
    loaded.check_pooling(pooling, max_length)
    model.eval()
    device = next(model.parameters()).device
    token_ids = tokenize_strings(tokenizer, strings, max_length)
    padded_length = max_length if pooling == "mean_padded" else None
    lengths = [padded_length or len(ids) for ids in token_ids]
    vectors = np.empty((len(strings), model.config.hidden_size), dtype=np.float32)
    started = last_report = time.monotonic()
    done = 0
    for batch in plan_batches(lengths, token_budget):
        input_ids, attention_mask = pad_token_ids(
            [token_ids[index] for index in batch], tokenizer.pad_token_id, padded_length
        )
        attention_mask = attention_mask.to(device)
        output = model(input_ids=input_ids.to(device), attention_mask=attention_mask)
        pooled = pool_hidden_states(
            output.last_hidden_state, attention_mask, pooling, output.get("pooler_output")
        )
        vectors[batch] = pooled.float().cpu().numpy()
        done += len(batch)
        now = time.monotonic()
        if report and (now - last_report > SECONDS_BETWEEN_REPORTS or done == len(strings)):
            rate = done / max(now - started, 1e-9)
            print(f"embedded {done}/{len(strings)} strings, {rate:.0f}/s", file=sys.stderr)
            last_report = now
    return vectors
