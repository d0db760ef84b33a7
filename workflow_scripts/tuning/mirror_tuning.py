"""The Mirror tuning loop (paper sections 2 and 3): strings paired with themselves, InfoNCE."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TextIO

import torch
from transformers import (
    get_constant_schedule_with_warmup,
    get_cosine_schedule_with_warmup,
    get_linear_schedule_with_warmup,
)

from workflow_scripts.embedding.architectures import first_position_only
from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.batch_gradients import BatchGradients
from workflow_scripts.tuning.development import BestWeights
from workflow_scripts.tuning.drophead import drophead
from workflow_scripts.tuning.dropout import seeded_dropout
from workflow_scripts.tuning.dropout_masks import DropoutMasks
from workflow_scripts.tuning.losses import nt_xent_loss
from workflow_scripts.tuning.precision import settle_precision
from workflow_scripts.tuning.processes import Processes
from workflow_scripts.tuning.recipes import MirrorChoices
from workflow_scripts.tuning.representation import alignment, uniformity
from workflow_scripts.tuning.step_log import StepLog
from workflow_scripts.tuning.tuning_state import Progress, StateFile
from workflow_scripts.tuning.views import Views


@dataclass(frozen=True)
class TuningSummary:
    """What the loop did, for the record: no times, since records are to come out the same again.

    `steps` were taken, fewer than planned where the development score ended the tuning. The weights
    are those after `best_step`, which scored `best_score`; both None without a development set.
    """

    steps: int
    first_loss: float
    last_loss: float
    best_step: int | None = None
    best_score: float | None = None

    def as_record(self) -> dict[str, int | float]:
        """Return what is known, for encoder.json."""
        return {key: value for key, value in vars(self).items() if value is not None}


def draw_batches(
    count: int, batch_size: int, epochs: int, generator: random.Random
) -> Iterator[list[int]]:
    """Yield the string indices of each step: shuffled anew each epoch, incomplete batch dropped."""
    for _ in range(epochs):
        order = list(range(count))
        generator.shuffle(order)
        for start in range(0, count - batch_size + 1, batch_size):
            yield order[start : start + batch_size]


def tune_model(
    loaded: LoadedModel,
    strings: Sequence[str],
    choices: MirrorChoices,
    pooling: str,
    seed: int,
    step_log: TextIO | None = None,
    *,
    partners: Sequence[str] | None = None,
    score: Callable[[LoadedModel], float] | None = None,
    state: StateFile | None = None,
    processes: Processes | None = None,
) -> TuningSummary:
    """Tune the weights of `loaded.model` in place.

    `partners` are the other halves of supervised pairs; without them a string is paired with
    itself. `score` gives the score on the development set that `choices` names, the higher the
    better. `state` is where an interrupted run left off. `seed` fixes shuffling, masking and
    dropout: same machine, thread count and seed, same weights, interrupted or not. `step_log` takes
    JSON lines; progress goes to stderr. Raises `UserError` if the loss runs away, for a model that
    cannot take a choice, and where memory does not suffice.
    """
    loaded.check_pooling(pooling, choices.max_length)
    if choices.development is not None and score is None:
        raise UserError("development: no data set to score on; set development: null")
    run = _Run(loaded, strings, partners, choices, pooling, seed, processes or Processes())
    best = BestWeights()
    progress = Progress() if state is None else state.load(loaded.model, run.optimiser, best)
    log = StepLog(step_log, run.steps, progress, quiet=not run.processes.is_first)
    loaded.model.train()
    with closing(log), run.settings():
        for step, batch in run.batches_after(progress.step):
            try:
                measures, tokens = run.take_step(step, batch)
            except torch.OutOfMemoryError as error:
                raise UserError(
                    "out of memory for the loss or the optimiser, beside the model; lower "
                    "batch_size in the recipe or take a smaller model"
                ) from error
            value = None
            if score is not None and run.is_scored(step):
                value = run.score(score)
                best.offer(step, value, loaded.model)
            log.add(step, measures, run.rate(step), len(batch), tokens, value)
            progress.step = step
            if run.is_enough(best):
                break
            if state is not None and state.is_due() and run.processes.is_first:
                log.flush()
                state.save(loaded.model, run.optimiser, progress, best)
        log.flush()
    best.restore(loaded.model)
    loaded.model.eval()
    return TuningSummary(
        progress.step,
        progress.first_loss,
        progress.last_loss,
        best.step or None,
        best.score,
    )


class _Run:
    """The steps of one run of `tune_model`."""

    def __init__(
        self,
        loaded: LoadedModel,
        strings: Sequence[str],
        partners: Sequence[str] | None,
        choices: MirrorChoices,
        pooling: str,
        seed: int,
        processes: Processes,
    ) -> None:
        self.loaded, self.model, self.choices, self.pooling = loaded, loaded.model, choices, pooling
        self.seed, self.processes, self.count = seed, processes, len(strings)
        self.steps = choices.epochs * (self.count // choices.batch_size)
        self.device = next(self.model.parameters()).device
        self.views = Views(
            loaded.tokenizer, strings, partners, choices.span_masking, choices.max_length, seed
        )
        self.masks = DropoutMasks(seed, self.device)
        self.gradients = BatchGradients(
            loaded,
            pooling,
            choices.max_length,
            self.masks,
            settle_precision(choices.precision, self.device),
            cached=choices.gradient_cache,
            paired=choices.controlled_dropout,
            processes=processes,
        )
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(),
            lr=choices.learning_rate,
            weight_decay=choices.weight_decay,
            fused=True,
        )
        self.rate_factor = _schedule(choices, self.steps)

    @contextmanager
    def settings(self) -> Iterator[None]:
        """Set the model up for tuning inside the block."""
        with ExitStack() as stack:
            stack.enter_context(seeded_dropout(self.model, self.choices.dropout, self.masks))
            stack.enter_context(drophead(self.model, self.choices.drophead, self.masks))
            first_alone = self.pooling in ("cls", "pooler")
            stack.enter_context(first_position_only(self.model, first_alone))
            stack.enter_context(_sparse_embedding_gradients(self.model))
            yield

    def batches_after(self, done: int) -> Iterator[tuple[int, list[int]]]:
        """Yield (step, string indices) from step `done` + 1 on."""
        shuffling = random.Random(f"{self.seed} shuffling")
        batch_size, epochs = self.choices.batch_size, self.choices.epochs
        batches = draw_batches(self.count, batch_size, epochs, shuffling)
        return ((step, batch) for step, batch in enumerate(batches, start=1) if step > done)

    def rate(self, step: int) -> float:
        """Return the learning rate of a step."""
        return self.choices.learning_rate * self.rate_factor(step - 1)

    def take_step(self, step: int, batch: Sequence[int]) -> tuple[torch.Tensor, int]:
        """Take a step; return loss, alignment and uniformity [3] on the device, and the tokens."""
        choices, scaler = self.choices, self.gradients.scaler
        token_ids = self.views.of_batch(batch, step)
        loss, vectors = self.gradients.compute(token_ids, step, self._loss)
        for parameter in self.model.parameters():
            if parameter.grad is not None and parameter.grad.is_sparse:
                parameter.grad = parameter.grad.to_dense()
        self.processes.sum_gradients(self.model.parameters())
        if choices.max_gradient_norm is not None:
            scaler.unscale_(self.optimiser)
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), choices.max_gradient_norm)
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate(step)
        scaler.step(self.optimiser)
        scaler.update()
        self.optimiser.zero_grad(set_to_none=True)
        first, second = vectors[: len(batch)], vectors[len(batch) :]
        measures = torch.stack([loss, alignment(first, second), uniformity(first)])
        return measures, sum(map(len, token_ids))

    def _loss(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        return nt_xent_loss(first, second, self.choices.temperature, self.choices.loss_denominator)

    def is_scored(self, step: int) -> bool:
        """Return whether the development set is due after a step."""
        development = self.choices.development
        return development is not None and (step % development.every == 0 or step == self.steps)

    def score(self, score: Callable[[LoadedModel], float]) -> float:
        """Return the score on the development set, from the first process."""
        value = torch.zeros((), dtype=torch.float64)
        if self.processes.is_first:
            value += score(self.loaded)
        self.model.train()
        return self.processes.sum(value.to(self.device)).item()

    def is_enough(self, best: BestWeights) -> bool:
        """Return whether the scores have not become better for as long as the recipe allows."""
        development = self.choices.development
        return (
            development is not None
            and development.patience is not None
            and best.since >= development.patience
        )


def _schedule(choices: MirrorChoices, steps: int) -> Callable[[int], float]:
    """Return what gives the factor of the learning rate after a number of steps."""
    # The schedulers of transformers hold a function of the step; the optimiser is a stand-in.
    stand_in = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    warmup = round(choices.warmup * steps)
    if choices.schedule == "linear":
        scheduler = get_linear_schedule_with_warmup(stand_in, warmup, steps)
    elif choices.schedule == "cosine":
        scheduler = get_cosine_schedule_with_warmup(stand_in, warmup, steps)
    else:
        scheduler = get_constant_schedule_with_warmup(stand_in, warmup)
    return scheduler.lr_lambdas[0]


@contextmanager
def _sparse_embedding_gradients(model: torch.nn.Module) -> Iterator[None]:
    """Let the matrix of pieces have sparse gradients inside the block, on a CPU.

    Each slice would make a gradient of the whole vocabulary, of which it uses a few rows.
    """
    embeddings = model.get_input_embeddings()
    before = embeddings.sparse
    embeddings.sparse = embeddings.weight.device.type == "cpu"
    try:
        yield
    finally:
        embeddings.sparse = before
