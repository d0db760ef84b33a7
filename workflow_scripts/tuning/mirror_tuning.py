"""The Mirror tuning loop (paper sections 2 and 3): strings paired with themselves, InfoNCE."""

import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.pooling import pool_hidden_states
from workflow_scripts.embedding.token_batches import pad_token_ids, tokenize_strings
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.drophead import drophead
from workflow_scripts.tuning.dropout import overwrite_dropout
from workflow_scripts.tuning.losses import nt_xent_loss
from workflow_scripts.tuning.recipes import MirrorChoices
from workflow_scripts.tuning.span_masking import make_views

# Strings in one forward pass. The slices of a batch are joined before the loss, so the gradients
# are those of one pass; sorted by length they hold little padding.
SLICE_SIZE = 100


@dataclass(frozen=True)
class TuningSummary:
    """What the loop did, for the record: no times, since records are to come out the same again."""

    steps: int
    first_loss: float
    last_loss: float


def draw_batches(
    count: int, batch_size: int, epochs: int, generator: random.Random
) -> Iterator[list[int]]:
    """Yield the string indices of each step: shuffled anew each epoch, incomplete batch dropped."""
    for _ in range(epochs):
        order = list(range(count))
        generator.shuffle(order)
        for start in range(0, count - batch_size + 1, batch_size):
            yield order[start : start + batch_size]


def encode_views(
    loaded: LoadedModel, views: Sequence[str], pooling: str, max_length: int
) -> torch.Tensor:
    """Return vectors [number of views, D] with gradients, in the order of `views`.

    `mean_padded` pads all views to `max_length`. Otherwise they run in slices of similar length.
    """
    model, tokenizer = loaded.model, loaded.tokenizer
    device = next(model.parameters()).device
    token_ids = tokenize_strings(tokenizer, views, max_length)
    order = sorted(range(len(views)), key=lambda index: len(token_ids[index]))
    vectors = []
    for start in range(0, len(order), SLICE_SIZE):
        input_ids, attention_mask = pad_token_ids(
            [token_ids[index] for index in order[start : start + SLICE_SIZE]],
            tokenizer.pad_token_id,
            max_length if pooling == "mean_padded" else None,
        )
        attention_mask = attention_mask.to(device)
        output = model(input_ids=input_ids.to(device), attention_mask=attention_mask)
        vectors.append(
            pool_hidden_states(
                output.last_hidden_state, attention_mask, pooling, output.get("pooler_output")
            )
        )
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    return torch.cat(vectors)[back.to(device)]


def tune_model(
    loaded: LoadedModel,
    strings: Sequence[str],
    choices: MirrorChoices,
    pooling: str,
    seed: int,
    step_log: TextIO | None = None,
) -> TuningSummary:
    """Tune `loaded.model` in place.

    `seed` fixes shuffling, masking and dropout: same machine, thread count and seed, same weights.
    Each step writes one JSON line (step, loss, learning rate, strings a second) to `step_log`; a
    progress line goes to stderr about ten times. Raises `UserError` if the loss runs away.
    """
    model, tokenizer = loaded.model, loaded.tokenizer
    loaded.check_pooling(pooling, choices.max_length)
    shuffling = random.Random(f"{seed} shuffling")
    masking = random.Random(f"{seed} masking")
    torch.manual_seed(seed)
    if choices.dropout is not None:
        overwrite_dropout(model, choices.dropout)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=choices.learning_rate, weight_decay=choices.weight_decay
    )

    def token_units(text: str) -> list[tuple[int, int]]:
        return tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)[
            "offset_mapping"
        ]

    steps = choices.epochs * (len(strings) // choices.batch_size)
    losses: list[float] = []
    started = time.monotonic()
    model.train()
    with drophead(model, choices.drophead):
        for step, batch in enumerate(
            draw_batches(len(strings), choices.batch_size, choices.epochs, shuffling), start=1
        ):
            first, second = make_views(
                [strings[index] for index in batch],
                choices.span_masking,
                tokenizer.mask_token or "",
                token_units,
                masking,
            )
            # One pass over both views: their dropout masks are independent all the same.
            vectors = encode_views(loaded, first + second, pooling, choices.max_length)
            loss = nt_xent_loss(
                vectors[: len(batch)],
                vectors[len(batch) :],
                choices.temperature,
                choices.loss_denominator,
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if not torch.isfinite(loss):
                raise UserError(f"the loss is not finite at step {step}; lower learning_rate")
            _report_step(step, steps, losses[-1], choices, started, step_log)
    model.eval()
    return TuningSummary(steps=len(losses), first_loss=losses[0], last_loss=losses[-1])


def _report_step(
    step: int,
    steps: int,
    loss: float,
    choices: MirrorChoices,
    started: float,
    step_log: TextIO | None,
) -> None:
    rate = step * choices.batch_size / max(time.monotonic() - started, 1e-9)
    if step_log is not None:
        row = {
            "step": step,
            "loss": loss,
            "learning_rate": choices.learning_rate,
            "strings_per_second": round(rate, 1),
        }
        step_log.write(json.dumps(row) + "\n")
        step_log.flush()
    if step in (1, steps) or step % max(steps // 10, 1) == 0:
        print(f"step {step}/{steps}: loss {loss:.4f}, {rate:.0f} strings/s", file=sys.stderr)
