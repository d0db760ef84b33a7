"""The training loop: masked language modelling under a budget of minutes or of steps."""

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from workflow_scripts.embedding.torch_setup import has_bfloat16
from workflow_scripts.errors import UserError
from workflow_scripts.pretraining.batches import (
    SPECIALS_PER_SEQUENCE,
    BlockStream,
    SpecialIds,
    assemble,
    cut_batches,
)
from workflow_scripts.pretraining.checkpoints import Position, load_checkpoint, save_checkpoint
from workflow_scripts.pretraining.encoded_text import EncodedText, cut_spans
from workflow_scripts.pretraining.masked_lm import masked_loss
from workflow_scripts.pretraining.masking import mask_pieces
from workflow_scripts.pretraining.settings import Training

_SECONDS_PER_MINUTE = 60.0
# First numbers of the seeds of the independent random streams.
_ORDER, _MASKS, _VALIDATION_MASKS = 1, 2, 3

Record = dict[str, float | int | str]


@dataclass(frozen=True)
class Vocabulary:
    """What masking and batching need to know of a tokenizer."""

    special: SpecialIds
    ordinary: np.ndarray

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerFast) -> "Vocabulary":
        """Collect the ids of a tokenizer; `ordinary` are all ids but those of special tokens."""
        everything = np.arange(len(tokenizer))
        return cls(
            SpecialIds(
                tokenizer.cls_token_id,
                tokenizer.sep_token_id,
                tokenizer.pad_token_id,
                tokenizer.mask_token_id,
            ),
            np.setdiff1d(everything, np.array(tokenizer.all_special_ids)),
        )

    def mask(
        self, sequences: list[np.ndarray], masked: float, generator: np.random.Generator
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return (inputs, attention, labels), int64 [sequences, longest + 2]."""
        ids, attention = assemble(sequences, self.special)
        around = (self.special.start, self.special.end, self.special.padding)
        inputs, labels = mask_pieces(
            ids, np.isin(ids, around), masked, self.special.mask, self.ordinary, generator
        )
        return torch.from_numpy(inputs), torch.from_numpy(attention), torch.from_numpy(labels)


def rate_at(progress: float, training: Training) -> float:
    """Return the learning rate: linear from 0 over the warm-up, then linear down to 0 at 1."""
    if progress < training.warm_up:
        return training.learning_rate * progress / training.warm_up
    return training.learning_rate * (1.0 - progress) / (1.0 - training.warm_up)


def stage_at(progress: float, training: Training) -> int:
    """Return the number of the stage that holds `progress` (0 to 1)."""
    for number, stage in enumerate(training.stages):
        if progress < stage.until:
            return number
    return len(training.stages) - 1


def unigram_entropy(ids: np.ndarray) -> float:
    """Return the entropy (nats) of the distribution of pieces in `ids` (int [number of tokens]).

    A model that knows nothing but how frequent each piece is cannot get a loss below it on them.
    Few ids give too low a value, since each piece then seems more frequent than it is.
    """
    counts = np.unique(ids, return_counts=True)[1]
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def unigram_loss(ids: np.ndarray, counts: np.ndarray) -> float:
    """Return the loss (nats per piece) on `ids` of the frequencies in other text.

    `counts` is int [vocabulary], the pieces of that text, each taken as seen once more. This is
    what a model that learnt frequencies alone reaches on held-out text.
    """
    shares = (counts + 1) / (counts + 1).sum()
    return float(-np.log(shares[ids]).mean())


def validation_loss(
    model: PreTrainedModel,
    texts: Mapping[str, EncodedText],
    vocabulary: Vocabulary,
    training: Training,
    seed: int,
    device: torch.device,
) -> dict[str, tuple[float, int]]:
    """Return per language (summed loss in nats, number of masked pieces); same masks every time."""
    sums: dict[str, tuple[float, int]] = {}
    longest = training.stages[0].length - SPECIALS_PER_SEQUENCE
    model.eval()
    for order, (language, text) in enumerate(sorted(texts.items())):
        generator = np.random.default_rng([seed, _VALIDATION_MASKS, order])
        sequences = [text.ids[start:end] for start, end in cut_spans(text, longest, False)]
        lengths = np.array([len(ids) + SPECIALS_PER_SEQUENCE for ids in sequences])
        total, count = 0.0, 0
        for group in cut_batches(lengths, training.tokens_per_batch):
            batch = vocabulary.mask([sequences[n] for n in group], training.masked, generator)
            inputs, attention, labels = (tensor.to(device) for tensor in batch)
            with torch.inference_mode():
                total += masked_loss(model, inputs, attention, labels, "sum").item()
            count += int((labels >= 0).sum())
        sums[language] = (total, count)
    model.train()
    return sums


def mean_loss(sums: Mapping[str, tuple[float, int]]) -> float:
    """Return the loss per masked piece over all languages."""
    return sum(total for total, _ in sums.values()) / sum(count for _, count in sums.values())


def make_optimiser(model: PreTrainedModel, training: Training) -> torch.optim.AdamW:
    """Return AdamW; biases and layer norms are not decayed.

    The key `scale` of a group is its share of the learning rate: `embedding_rate` for the embedding
    matrix of pieces, 1 for all else. With an embedding rate of 0 the matrix is frozen.
    """
    embeddings = model.get_input_embeddings().weight
    embeddings.requires_grad_(training.embedding_rate > 0)
    others = [p for p in model.parameters() if p is not embeddings]
    decay = training.weight_decay
    groups = [
        {"params": [p for p in others if p.ndim > 1], "weight_decay": decay, "scale": 1.0},
        {"params": [p for p in others if p.ndim <= 1], "weight_decay": 0.0, "scale": 1.0},
    ]
    if embeddings.requires_grad:
        share = training.embedding_rate
        groups.append({"params": [embeddings], "weight_decay": decay, "scale": share})
    return torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.98), eps=1e-6, fused=True)


def train_masked_lm(
    model: PreTrainedModel,
    vocabulary: Vocabulary,
    texts: Mapping[str, EncodedText],
    validation: Mapping[str, EncodedText],
    exponent: float,
    training: Training,
    seed: int,
    device: torch.device,
    checkpoint: Path,
    digest: str,
    record: Callable[[Record], None],
) -> Position:
    """Train `model` in place until the budget is spent and return where training stands.

    Resumes from `checkpoint` if that file exists. `record` is called with each line of the log.
    With a budget of steps the weights depend on the arguments alone, interrupted or not (on one
    device type and number of threads); with a budget of minutes also on the machine's speed.
    Raises `UserError` unless the budget is one of minutes and steps.
    """
    if (training.minutes is None) == (training.steps is None):
        raise UserError("training: give either minutes or steps")
    optimiser = make_optimiser(model, training)
    position = Position(digest)
    if checkpoint.is_file():
        position = load_checkpoint(checkpoint, model, optimiser, digest)
        record({"event": "resumed", "step": position.step})
    low_precision = has_bfloat16(device)
    streams: dict[int, BlockStream] = {}
    started = time.monotonic() - position.seconds
    last_saved = time.monotonic()
    recent: deque[float] = deque(maxlen=training.log_every)
    batches: list[list[np.ndarray]] = []
    at: tuple[int, int] | None = None
    model.train()

    def progress() -> float:
        if training.steps is not None:
            return position.step / training.steps
        return (time.monotonic() - started) / (training.minutes * _SECONDS_PER_MINUTE)

    def log_validation() -> None:
        loss = mean_loss(validation_loss(model, validation, vocabulary, training, seed, device))
        record({"event": "validation", "step": position.step, "validation_loss": round(loss, 4)})

    while (done := progress()) < 1.0:
        if (stage := stage_at(done, training)) != position.stage:
            position.stage, position.block, position.batch = stage, 0, 0
        if at != (position.stage, position.block):
            if stage not in streams:
                limits = training.stages[stage]
                streams[stage] = BlockStream(
                    texts,
                    limits.length,
                    limits.pack,
                    exponent,
                    training.sequences_per_block,
                    training.tokens_per_batch,
                    (seed, _ORDER, stage),
                )
            batches = streams[stage].batches(position.block)
            at = (position.stage, position.block)
        for group in optimiser.param_groups:
            group["lr"] = rate_at(done, training) * group["scale"]
        generator = np.random.default_rng([seed, _MASKS, position.step])
        masked = vocabulary.mask(batches[position.batch], training.masked, generator)
        inputs, attention, labels = (tensor.to(device) for tensor in masked)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=low_precision):
            loss = masked_loss(model, inputs, attention, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), training.clip_norm)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        recent.append(loss.item())
        if not math.isfinite(recent[-1]):
            raise UserError(f"training: loss {recent[-1]} at step {position.step}; lower the rate")
        position.step += 1
        position.tokens += int(attention.sum())
        position.batch += 1
        if position.batch == len(batches):
            position.block, position.batch = position.block + 1, 0
        position.seconds = time.monotonic() - started
        if position.step % training.log_every == 0:
            record(
                {
                    "event": "train",
                    "step": position.step,
                    "tokens": position.tokens,
                    "seconds": round(position.seconds, 1),
                    "loss": round(sum(recent) / len(recent), 4),
                    "rate": optimiser.param_groups[0]["lr"],
                }
            )
        if time.monotonic() - last_saved >= training.checkpoint_minutes * _SECONDS_PER_MINUTE:
            log_validation()
            save_checkpoint(checkpoint, model, optimiser, position)
            last_saved = time.monotonic()
    position.seconds = time.monotonic() - started
    save_checkpoint(checkpoint, model, optimiser, position)
    return position
