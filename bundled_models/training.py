"""The training loop: masked language modelling under a budget of minutes or of steps."""

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from bundled_models.batches import SPECIALS, BlockStream, assemble, cut_batches
from bundled_models.encoded_text import EncodedText, cut_spans
from bundled_models.settings import Training
from workflow_scripts.embedding.torch_setup import has_bfloat16
from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling.masking import mask_pieces
from workflow_scripts.language_modelling.prediction import masked_loss
from workflow_scripts.training_state import load_state, read_position, save_state

_SECONDS_PER_MINUTE = 60.0
# First numbers of the seeds of the independent random streams.
_ORDER, _MASKS, _VALIDATION_MASKS = 1, 2, 3

Record = dict[str, float | int | str]


@dataclass
class Position:
    """How far a training got; `digest` identifies the model, its data and its settings."""

    digest: str
    step: int = 0
    stage: int = 0
    block: int = 0
    batch: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def line(self, event: str) -> Record:
        """Return the start of a line of the log."""
        spent = {"tokens": self.tokens, "seconds": round(self.seconds, 1)}
        return {"event": event, "step": self.step, **spent}


@dataclass(frozen=True)
class Vocabulary:
    """The ids that masking and batching need; `ordinary` are all but those of special tokens."""

    start: int
    end: int
    padding: int
    masking: int
    size: int
    ordinary: np.ndarray

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerFast) -> "Vocabulary":
        special = (getattr(tokenizer, f"{name}_token_id") for name in ("cls", "sep", "pad", "mask"))
        ordinary = np.setdiff1d(np.arange(len(tokenizer)), np.array(tokenizer.all_special_ids))
        return cls(*special, len(tokenizer), ordinary)

    def mask(
        self, sequences: list[np.ndarray], masked: float, generator: np.random.Generator
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return (inputs, attention, labels), int64 [sequences, longest + 2]."""
        around = (self.start, self.end, self.padding)
        ids, attention = assemble(sequences, *around)
        drawing = (masked, self.masking, self.ordinary, generator)
        inputs, labels = mask_pieces(ids, np.isin(ids, around), *drawing)
        return torch.from_numpy(inputs), torch.from_numpy(attention), torch.from_numpy(labels)


def rate_at(progress: float, training: Training) -> float:
    """Return the learning rate: linear from 0 over the warm-up, then linear down to 0 at 1."""
    if progress < training.warm_up:
        return training.learning_rate * progress / training.warm_up
    return training.learning_rate * (1.0 - progress) / (1.0 - training.warm_up)


def stage_at(progress: float, training: Training) -> int:
    """Return the number of the stage that holds `progress` (0 to 1)."""
    numbers = (n for n, stage in enumerate(training.stages) if progress < stage.until)
    return next(numbers, len(training.stages) - 1)


@dataclass(frozen=True)
class Task:
    """What is trained on what and how; texts are by language."""

    training: Training
    texts: Mapping[str, EncodedText]
    validation: Mapping[str, EncodedText]
    vocabulary: Vocabulary
    exponent: float
    seed: int
    device: torch.device


def validation_loss(model: PreTrainedModel, task: Task) -> dict[str, tuple[float, int]]:
    """Return per language (summed loss in nats, number of masked pieces); same masks every time."""
    sums: dict[str, tuple[float, int]] = {}
    training = task.training
    longest = training.stages[0].length - SPECIALS
    model.eval()
    for order, (language, text) in enumerate(sorted(task.validation.items())):
        generator = np.random.default_rng([task.seed, _VALIDATION_MASKS, order])
        sequences = [text.ids[start:end] for start, end in cut_spans(text, longest, False)]
        lengths = np.array([len(ids) + SPECIALS for ids in sequences])
        total, count = 0.0, 0
        for group in cut_batches(lengths, training.tokens_per_batch):
            chosen = [sequences[n] for n in group]
            batch = task.vocabulary.mask(chosen, training.masked, generator)
            inputs, attention, labels = (tensor.to(task.device) for tensor in batch)
            with torch.inference_mode():
                total += masked_loss(model, inputs, attention, labels, "sum").item()
            count += int((labels >= 0).sum())
        sums[language] = (total, count)
    model.train()
    return sums


def mean_loss(sums: Mapping[str, tuple[float, int]]) -> float:
    return sum(total for total, _ in sums.values()) / sum(count for _, count in sums.values())


def make_optimiser(model: PreTrainedModel, training: Training) -> torch.optim.AdamW:
    """Return AdamW; biases and norms are not decayed; `scale` is a group's share of the rate."""
    embeddings = model.get_input_embeddings().weight
    # A rate of 0 freezes the matrix.
    embeddings.requires_grad_(training.embedding_rate > 0)
    others = [p for p in model.parameters() if p is not embeddings]
    decay = training.weight_decay
    groups = [
        {"params": [p for p in others if p.ndim > 1], "weight_decay": decay, "scale": 1.0},
        {"params": [p for p in others if p.ndim <= 1], "weight_decay": 0.0, "scale": 1.0},
    ]
    if share := training.embedding_rate:
        groups.append({"params": [embeddings], "weight_decay": decay, "scale": share})
    return torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.98), eps=1e-6, fused=True)


def train_masked_lm(
    model: PreTrainedModel,
    task: Task,
    checkpoint: Path,
    digest: str,
    record: Callable[[Record], None],
) -> Position:
    """Train `model` in place, from `checkpoint` on if it exists, until the budget is spent.

    With a budget of steps the weights depend on `task` alone, interrupted or not (on one device
    type and number of threads); with a budget of minutes also on the machine's speed.
    """
    training = task.training
    optimiser = make_optimiser(model, training)
    position = Position(digest)
    if checkpoint.is_file():
        position = Position(**read_position(checkpoint))
        if position.digest != digest:
            raise UserError(
                checkpoint,
                "the checkpoint of another training (settings, text or seed changed)",
                "remove it to start anew",
            )
        load_state(checkpoint, model, optimiser)
        record({"event": "resumed", "step": position.step})
    low_precision = has_bfloat16(task.device)
    streams: dict[int, BlockStream] = {}
    started = time.monotonic() - position.seconds
    last_saved = time.monotonic()
    recent: deque[float] = deque(maxlen=training.log_every)
    batches, at = [], None
    model.train()

    def progress() -> float:
        if training.steps is not None:
            return position.step / training.steps
        return (time.monotonic() - started) / (training.minutes * _SECONDS_PER_MINUTE)

    while (done := progress()) < 1.0:
        if (stage := stage_at(done, training)) != position.stage:
            position.stage, position.block, position.batch = stage, 0, 0
        if at != (position.stage, position.block):
            if stage not in streams:
                streams[stage] = BlockStream(
                    *(task.texts, training.stages[stage], task.exponent),
                    *(training.sequences_per_block, training.tokens_per_batch),
                    seed=(task.seed, _ORDER, stage),
                )
            batches = streams[stage].batches(position.block)
            at = (position.stage, position.block)
        for group in optimiser.param_groups:
            group["lr"] = rate_at(done, training) * group["scale"]
        generator = np.random.default_rng([task.seed, _MASKS, position.step])
        masked = task.vocabulary.mask(batches[position.batch], training.masked, generator)
        inputs, attention, labels = (tensor.to(task.device) for tensor in masked)
        with torch.autocast(task.device.type, dtype=torch.bfloat16, enabled=low_precision):
            loss = masked_loss(model, inputs, attention, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), training.clip_norm)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        recent.append(loss.item())
        if not math.isfinite(recent[-1]):
            raise UserError(
                "training", f"loss {recent[-1]} at step {position.step}", "lower the rate"
            )
        position.step += 1
        position.tokens += int(attention.sum())
        position.batch += 1
        if position.batch == len(batches):
            position.block, position.batch = position.block + 1, 0
        position.seconds = time.monotonic() - started
        if position.step % training.log_every == 0:
            line = position.line("train") | {"loss": round(sum(recent) / len(recent), 4)}
            record(line | {"rate": optimiser.param_groups[0]["lr"]})
        if time.monotonic() - last_saved >= training.checkpoint_minutes * _SECONDS_PER_MINUTE:
            loss = round(mean_loss(validation_loss(model, task)), 4)
            record({"event": "validation", "step": position.step, "validation_loss": loss})
            save_state(checkpoint, model, optimiser, asdict(position))
            last_saved = time.monotonic()
    position.seconds = time.monotonic() - started
    save_state(checkpoint, model, optimiser, asdict(position))
    return position
