"""Mirror tuning the authors' way: slow, short, and independent of the project's own loop.

Its steps are those of `tuning.plain_step`: every view is padded to the maximum length and goes
through the model in a pass of its own; the loss is that of pytorch-metric-learning. What comes out
is the same as from the project's loop, but for the dropout masks: speed is measured against it, and
quality.
"""

import random
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from pytorch_metric_learning.losses import NTXentLoss

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.tuning.plain_step import plain_step
from workflow_scripts.tuning.span_masking import augment_pairs, token_units

# The choices that the plain loop does not have, as they must be.
SIMPLE = {"loss_denominator": "with_positive", "drophead": 0, "controlled_dropout": False}
SIMPLE |= {"positives": "itself", "schedule": "constant", "max_gradient_norm": None}


class PlainSummary(NamedTuple):
    steps: int
    first_loss: float
    last_loss: float


def pair_views(
    strings: Sequence[str], choices: Any, tokenizer: Any, generator: random.Random
) -> tuple[list[str], list[str]]:
    token, units = tokenizer.mask_token or "", token_units(tokenizer)
    return augment_pairs(strings, choices.span_masking, token, units, generator)


def tune_plainly(
    loaded: LoadedModel, strings: Sequence[str], choices: Any, seed: int
) -> PlainSummary:
    """Tune `loaded.model` in place, in float32 on the CPU; `ValueError` for choices it lacks."""
    simple = all(getattr(choices, key) == value for key, value in SIMPLE.items())
    one_rate = choices.dropout is None or isinstance(choices.dropout, float)
    if not (simple and one_rate):
        raise ValueError("the plain loop takes recipes of one dropout rate and no extras")
    model, size = loaded.model, choices.batch_size
    torch.manual_seed(seed)
    shuffling, masking = random.Random(f"{seed} shuffling"), random.Random(f"{seed} masking")
    set_dropout(model, choices.dropout)
    settings, labels = choices.training_settings, torch.arange(size).repeat(2)
    cut = {"truncation": True, "max_length": settings.max_length}
    loss_of = partial(NTXentLoss(temperature=choices.temperature), labels=labels)
    rates = {"lr": choices.learning_rate, "weight_decay": choices.weight_decay}
    optimizer = torch.optim.AdamW(model.parameters(), **rates)
    losses: list[float] = []
    model.train()
    for _ in range(choices.epochs):
        order = list(range(len(strings)))
        shuffling.shuffle(order)
        for start in range(0, len(order) - size + 1, size):
            batch = [strings[index] for index in order[start : start + size]]
            views = pair_views(batch, choices, loaded.tokenizer, masking)
            token_ids = [loaded.tokenizer(view, **cut)["input_ids"] for view in views]
            losses.append(plain_step(loaded, token_ids, settings, loss_of, optimizer))
    model.eval()
    return PlainSummary(len(losses), losses[0], losses[-1])


def set_dropout(model: torch.nn.Module, rate: float | None) -> None:
    """Give every dropout of a model the one rate; None keeps the model's."""
    for module in model.modules():
        if rate is not None and isinstance(module, torch.nn.Dropout):
            module.p = rate
