"""Mirror tuning the authors' way: slow, short, and independent of the project's own loop.

Every view is padded to the maximum length and goes through the model in a pass of its own; the
loss is that of pytorch-metric-learning, which builds a matrix of positive pairs by negative pairs.
What comes out is the same as from `tune_model`, but for the dropout masks: it is what speed is
measured against and the oracle that quality is held against.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from pytorch_metric_learning.losses import NTXentLoss

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.tuning.recipes import MirrorChoices
from workflow_scripts.tuning.span_masking import make_views


@dataclass(frozen=True)
class PlainSummary:
    """Loss of the first and of the last step, and how many there were."""

    steps: int
    first_loss: float
    last_loss: float


def encode_view(
    loaded: LoadedModel, view: Sequence[str], pooling: str, max_length: int
) -> torch.Tensor:
    """Return vectors [number of strings, D] with gradients of one view, padded to `max_length`."""
    batch = loaded.tokenizer(
        list(view),
        padding="max_length",
        truncation=True,
        max_length=max_length,
        return_tensors="pt",
    )
    hidden_states = loaded.model(
        input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]
    ).last_hidden_state
    if pooling == "cls":
        return hidden_states[:, 0]
    mask = batch["attention_mask"].unsqueeze(-1)
    return (hidden_states * mask).sum(dim=1) / mask.sum(dim=1)


def check_choices(choices: MirrorChoices, pooling: str) -> None:
    """Raise `ValueError` for what the plain loop does not do."""
    simple = (
        pooling in ("cls", "mean")
        and choices.loss_denominator == "with_positive"
        and choices.drophead == 0
        and not choices.controlled_dropout
        and choices.positives == "itself"
        and choices.schedule == "constant"
        and choices.max_gradient_norm is None
        and (choices.dropout is None or isinstance(choices.dropout, float))
    )
    if not simple:
        raise ValueError("the plain loop takes recipes of one dropout rate, cls or mean, no extras")


def tune_plainly(
    loaded: LoadedModel, strings: Sequence[str], choices: MirrorChoices, pooling: str, seed: int
) -> PlainSummary:
    """Tune `loaded.model` in place, in float32 on the CPU (paper sections 2 and 3).

    `seed` fixes shuffling, masking and dropout. Raises `ValueError` for choices that the plain
    loop does not know.
    """
    check_choices(choices, pooling)
    model, tokenizer = loaded.model, loaded.tokenizer
    torch.manual_seed(seed)
    shuffling, masking = random.Random(f"{seed} shuffling"), random.Random(f"{seed} masking")
    if choices.dropout is not None:
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = choices.dropout
    loss_function = NTXentLoss(temperature=choices.temperature)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=choices.learning_rate, weight_decay=choices.weight_decay
    )

    def token_units(text: str) -> list[tuple[int, int]]:
        return tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)[
            "offset_mapping"
        ]

    losses: list[float] = []
    labels = torch.arange(choices.batch_size).repeat(2)
    model.train()
    for _ in range(choices.epochs):
        order = list(range(len(strings)))
        shuffling.shuffle(order)
        for start in range(0, len(order) - choices.batch_size + 1, choices.batch_size):
            batch = [strings[index] for index in order[start : start + choices.batch_size]]
            mask_token = tokenizer.mask_token or ""
            first, second = make_views(
                batch, choices.span_masking, mask_token, token_units, masking
            )
            vectors = [
                encode_view(loaded, view, pooling, choices.max_length) for view in (first, second)
            ]
            loss = loss_function(torch.cat(vectors), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    model.eval()
    return PlainSummary(len(losses), losses[0], losses[-1])
