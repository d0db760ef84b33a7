"""Vectors of many strings: each unique one tokenised and run once, batched by length."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.architectures import first_position_only, mask_without_waiting
from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.one_ahead import Arrivals, one_ahead, pinned
from workflow_scripts.embedding.pooling import pool_hidden_states
from workflow_scripts.embedding.progress import Advance, embedding_progress
from workflow_scripts.embedding.projections import Projections
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import (
    cut_strings,
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
TokenIds = list[list[int]]
PRECISIONS = ("float32", "auto", "float16", "bfloat16")


# Of a GPU: strings and characters that are tokenised while it computes those before; some dozens
# of its batches.
STRINGS_AHEAD, CHARACTERS_AHEAD = 100_000, 2_000_000


@dataclass(frozen=True)
class StringEncoder:
    """Strings to vectors. `run_batch` maps token ids and mask, both [B, T], to vectors [B, size].

    The first D units of them stay, as the settings say.

    `set_up` gives the context of all batches. On a CPU each of `workers` threads runs batches of
    its own on one core: sharing matrix products, they would wait for each other all the time. With
    `ahead`, a device that `run_batch` does not wait for, all strings are gone through piece by
    piece: the next is tokenised and the vectors of the last are copied while one is computed.
    """

    run_batch: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    tokenizer: PreTrainedTokenizerBase
    size: int
    settings: EncoderSettings
    token_budget: int
    workers: int
    set_up: Callable[[], AbstractContextManager] = nullcontext
    ahead: torch.device | None = None

    @property
    def dimension(self) -> int:
        """The units of its vectors, D."""
        return self.settings.dimensions or self.size

    def whole(self) -> "StringEncoder":
        """Return the encoder that leaves all units of a vector."""
        return replace(self, settings=replace(self.settings, dimensions=None))

    def encode(
        self,
        strings: Sequence[str],
        advance: Advance = lambda _: None,
        *,
        role: str = "default",
        each_alone: bool = False,
    ) -> np.ndarray:
        """Return float32 vectors [number of strings, D]; row i belongs to `strings[i]`.

        `role` chooses the prompt (`settings.ROLES`). `advance` is called with the number of strings
        that each batch finished. A batch that does not fit into memory is split into halves. The
        last digits of a vector depend on the strings that share its batch, since the shape decides
        how matrix products and attention round. With `each_alone` they do not: batches are full and
        of one length, which costs up to one more batch for each length.
        """
        unique = list(dict.fromkeys(strings))
        vectors = np.empty((len(unique), self.dimension), dtype=np.float32)
        choices = (role, each_alone)
        with self.set_up():
            if self.ahead is None:
                self._fill(vectors, self._batches(unique, *choices), advance)
            else:
                self._fill_ahead(vectors, unique, choices, self.ahead, advance)
        if len(unique) == len(strings):
            return vectors
        advance(len(strings) - len(unique))
        rows = {string: row for row, string in enumerate(unique)}
        return vectors[[rows[string] for string in strings]]

    def _batches(
        self, strings: list[str], role: str, each_alone: bool, start: int = 0
    ) -> Iterator[tuple[list[int], TokenIds]]:
        """Yield the rows of each batch, counted from `start`, and their token ids."""
        token_ids = tokenize_strings(self.tokenizer, strings, self.settings, role)
        lengths, budget = [len(ids) for ids in token_ids], self.token_budget
        width = self._padded_length
        if each_alone:
            batches = plan_full_batches(lengths, min(budget, FULL_BATCH), width)
        else:
            batches = plan_batches([width or length for length in lengths], budget)
        for batch in batches:
            yield [start + index for index in batch], [token_ids[index] for index in batch]

    @property
    def _padded_length(self) -> int | None:
        """The length that all batches are padded to, None where each has its own."""
        return self.settings.max_length if self.settings.pooling == "mean_padded" else None

    def _pad(self, token_ids: TokenIds) -> tuple[torch.Tensor, torch.Tensor]:
        return pad_token_ids(token_ids, self.tokenizer.pad_token_id, self._padded_length)

    @torch.inference_mode()
    def _run(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> list[torch.Tensor]:
        """Return the vectors of a batch, in parts where memory does not suffice."""
        with suppress(torch.OutOfMemoryError):
            return [self.run_batch(input_ids, attention_mask)[:, : self.dimension]]
        # Out of the handler, where the exception holds on to the tensors of the pass.
        if len(input_ids) == 1:
            raise UserError(None, "out of memory with a single string", "lower the maximum length")
        half = len(input_ids) // 2
        first = self._run(input_ids[:half], attention_mask[:half])
        return first + self._run(input_ids[half:], attention_mask[half:])

    def _fill(
        self,
        vectors: np.ndarray,
        batches: Iterable[tuple[list[int], TokenIds]],
        advance: Advance,
    ) -> None:
        """Compute the vectors of batches, which workers share."""

        def fill(batch: tuple[list[int], TokenIds]) -> int:
            rows, token_ids = batch
            pooled = [part.float().cpu().numpy() for part in self._run(*self._pad(token_ids))]
            vectors[rows] = pooled[0] if len(pooled) == 1 else np.concatenate(pooled)
            return len(set(rows))

        for count in self._map_in_workers(fill, batches):
            advance(count)

    def _fill_ahead(
        self,
        vectors: np.ndarray,
        strings: list[str],
        choices: tuple[str, bool],
        device: torch.device,
        advance: Advance,
    ) -> None:
        """Compute the vectors of strings piece by piece, and wait only for those of the last."""
        parts = list(cut_strings(strings, STRINGS_AHEAD, CHARACTERS_AHEAD))
        starts = accumulate(map(len, parts), initial=0)

        def prepare(piece: tuple[int, list[str]]) -> list[tuple[list[int], Any]]:
            start, part = piece
            batches = self._batches(part, *choices, start)
            return [(rows, pinned(self._pad(ids), device)) for rows, ids in batches]

        def take(rows: list[int], arrivals: Arrivals) -> None:
            vectors[rows] = arrivals.wait().numpy()
            advance(len(set(rows)))

        computed: tuple[list[int], Arrivals] | None = None
        for batches in one_ahead(prepare, zip(starts, parts, strict=False)):
            rows = [row for own, _ in batches for row in own]
            arrivals = Arrivals(len(rows), self.dimension, device)
            for _, padded in batches:
                for part in self._run(*padded):
                    arrivals.add(part)
            if computed is not None:
                take(*computed)
            computed = (rows, arrivals)
        if computed is not None:
            take(*computed)

    def _map_in_workers(
        self,
        run: Callable[[tuple[list[int], TokenIds]], int],
        batches: Iterable[tuple[list[int], TokenIds]],
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
    dtype, ahead = choose_precision(precision, device), device if device.type == "cuda" else None
    projections, modules = None, loaded.modules_of(settings)
    # `check_settings` knows that they are there
    if pooling == "projected" and (path := loaded.own_weights()) is not None:
        pooling, projections = "mean", Projections.of_file(path).to(device)

    def run_batch(input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        is_full = ahead is not None and bool(attention_mask.all())
        input_ids = input_ids.to(device, non_blocking=True)
        attention_mask = shown = attention_mask.to(device, non_blocking=True)
        if ahead is not None:
            shown = mask_without_waiting(model, attention_mask, is_full)
        with torch.autocast(device.type, dtype) if dtype else nullcontext():
            output = model(input_ids=input_ids, attention_mask=shown, **more)
        # the first is that of the embeddings
        states = output.last_hidden_state if layer is None else output.hidden_states[layer]
        pooler_output = output.get("pooler_output")
        vectors = pool_hidden_states(states.float(), attention_mask, pooling, pooler_output)
        if modules is not None:
            return modules(vectors)
        return vectors if projections is None else projections(vectors).mean(dim=1)

    first_alone = pooling in ("cls", "pooler") and layer is None
    return StringEncoder(
        *(run_batch, loaded.tokenizer, loaded.size_of(settings), settings),
        token_budget=token_budget or TOKEN_BUDGETS.get(device.type, TOKEN_BUDGETS["cuda"]),
        workers=torch.get_num_threads() if device.type == "cpu" else 1,
        set_up=lambda: first_position_only(model, first_alone),
        ahead=ahead,
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
