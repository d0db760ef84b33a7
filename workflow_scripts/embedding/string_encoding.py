"""Vectors of many strings: each unique one tokenised and run once, batched by length."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.architectures import first_position_only
from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.pooling import pool_hidden_states
from workflow_scripts.embedding.progress import Advance, embedding_progress
from workflow_scripts.embedding.projections import Projections
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import (
    pad_token_ids,
    plan_batches,
    plan_full_batches,
    tokenize_strings,
)
from workflow_scripts.embedding.torch_setup import torch_threads
from workflow_scripts.errors import UserError

# Positions (padding included) in one forward pass. On a CPU the hidden states of a batch should
# stay in a core's cache; a GPU wants enough work to be filled.
TOKEN_BUDGETS = {"cpu": 1024, "cuda": 32768}
# The same for batches that are filled up, most of which is wasted where few strings have a length.
FULL_BATCH = 8192
PRECISIONS = ("float32", "auto", "float16", "bfloat16")


@dataclass(frozen=True)
class StringEncoder:
    """Strings to vectors. `run_batch` maps token ids and mask, both [B, T], to vectors [B, D].

    `set_up` gives the context of all batches. On a CPU each of `workers` threads runs batches of
    its own on one core: sharing matrix products, they would wait for each other all the time.
    """

    run_batch: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    tokenizer: PreTrainedTokenizerBase
    dimension: int
    settings: EncoderSettings
    token_budget: int
    workers: int
    set_up: Callable[[], AbstractContextManager] = nullcontext

    def encode(
        self,
        strings: Sequence[str],
        advance: Advance = lambda _: None,
        *,
        role: str = "default",
        each_alone: bool = False,
    ) -> np.ndarray:
        """Return float32 vectors [number of strings, D]; row i belongs to `strings[i]`.

        `role` chooses the prompt (`settings.ROLES`). `advance` is told how many strings each batch
        finished. A batch that does not fit into memory is done again in halves. Which strings share
        a batch shows in the last digits, since matrix products and attention round as the shape has
        it. Not so with `each_alone`, where batches are full and of one length; that costs up to a
        batch for each length.
        """
        unique = dict.fromkeys(strings)
        token_ids = tokenize_strings(self.tokenizer, list(unique), self.settings, role)
        padded = self.settings.pooling == "mean_padded"
        padded_length = self.settings.max_length if padded else None
        vectors = np.empty((len(unique), self.dimension), dtype=np.float32)

        @torch.inference_mode()
        def run(batch: list[int]) -> int:
            ids = [token_ids[index] for index in batch]
            inputs = pad_token_ids(ids, self.tokenizer.pad_token_id, padded_length)
            try:
                pooled = self.run_batch(*inputs)
            except torch.OutOfMemoryError:
                pooled = None
            # Out of the handler, where the exception holds on to the tensors of the pass.
            if pooled is None:
                if len(batch) == 1:
                    raise UserError(
                        None, "out of memory with a single string", "lower the maximum length"
                    )
                middle = len(batch) // 2
                return run(batch[:middle]) + run(batch[middle:])
            vectors[batch] = pooled.float().cpu().numpy()
            return len(set(batch))

        lengths, budget = [len(ids) for ids in token_ids], self.token_budget
        if each_alone:
            batches = plan_full_batches(lengths, min(budget, FULL_BATCH), padded_length)
        else:
            batches = plan_batches([padded_length or length for length in lengths], budget)
        with self.set_up():
            for count in self._map_in_workers(run, batches):
                advance(count)
        if len(unique) == len(strings):
            return vectors
        advance(len(strings) - len(unique))
        rows = {string: row for row, string in enumerate(unique)}
        return vectors[[rows[string] for string in strings]]

    def _map_in_workers(
        self, run: Callable[[list[int]], int], batches: Iterable[list[int]]
    ) -> Iterator[int]:
        if self.workers == 1:
            yield from map(run, batches)
            return
        pool = ThreadPoolExecutor(self.workers, "embed", torch.set_num_threads, (1,))
        # The number is each thread's own, but new threads take the one that was set last.
        with torch_threads(torch.get_num_threads()), pool:
            yield from pool.map(run, batches)


def choose_precision(precision: str, device: torch.device) -> torch.dtype | None:
    """Return the type that matrix products are computed in, None for that of the weights.

    `auto` is float16 on CUDA (rounds eight times finer than bfloat16) and float32 elsewhere; on a
    CPU a half precision can be a hundred times slower.
    """
    if precision not in PRECISIONS:
        raise UserError(
            f"precision {precision!r}", "unknown", f"use one of {', '.join(PRECISIONS)}"
        )
    if precision == "auto":
        precision = "float16" if device.type == "cuda" else "float32"
    if precision == "float32":
        return None
    if device.type != "cuda":
        raise UserError(f"precision {precision}", "needs a CUDA device", "use float32 or auto")
    return getattr(torch, precision)


def torch_encoder(
    loaded: LoadedModel,
    settings: EncoderSettings,
    token_budget: int | None = None,
    precision: str = "float32",
) -> StringEncoder:
    """Return the encoder that runs `loaded` where it is; the model is put in eval mode.

    `token_budget` is the positions of a batch, None for what suits the device. Raises `UserError`
    for settings that the model cannot take.
    """
    loaded.check_settings(settings)
    model, layer, pooling = loaded.model.eval(), settings.layer, settings.pooling
    more = {} if layer is None else {"output_hidden_states": True}
    device = next(model.parameters()).device
    dtype = choose_precision(precision, device)
    projections = None
    # `check_settings` knows that they are there
    if pooling == "projected" and (path := loaded.own_weights()) is not None:
        pooling, projections = "mean", Projections.of_file(path).to(device)

    def run_batch(input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        attention_mask = attention_mask.to(device)
        with torch.autocast(device.type, dtype) if dtype else nullcontext():
            output = model(input_ids=input_ids.to(device), attention_mask=attention_mask, **more)
        # the first is that of the embeddings
        states = output.last_hidden_state if layer is None else output.hidden_states[layer]
        pooler_output = output.get("pooler_output")
        vectors = pool_hidden_states(states.float(), attention_mask, pooling, pooler_output)
        return vectors if projections is None else projections(vectors).mean(dim=1)

    first_alone = pooling in ("cls", "pooler") and layer is None
    return StringEncoder(
        *(run_batch, loaded.tokenizer, model.config.hidden_size, settings),
        token_budget=token_budget or TOKEN_BUDGETS.get(device.type, TOKEN_BUDGETS["cuda"]),
        workers=torch.get_num_threads() if device.type == "cpu" else 1,
        set_up=lambda: first_position_only(model, first_alone),
    )


def encode_strings(
    loaded: LoadedModel,
    strings: Sequence[str],
    settings: EncoderSettings,
    token_budget: int | None = None,
    report: bool = False,
    precision: str = "float32",
) -> np.ndarray:
    """Return float32 vectors [number of strings, D]; row i belongs to `strings[i]`.

    `report` shows progress on stderr; the rest as in `torch_encoder`. Same machine and strings:
    same bytes, whatever the threads.
    """
    encoder = torch_encoder(loaded, settings, token_budget, precision)
    if not report:
        return encoder.encode(strings)
    with embedding_progress(len(strings)) as advance:
        return encoder.encode(strings, advance)
