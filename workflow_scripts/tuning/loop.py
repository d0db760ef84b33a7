"""The tuning loop of all methods: optimiser, schedule, state, log and development score."""

import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, TextIO

import torch
from transformers import get_scheduler

from workflow_scripts import plugins
from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.own_classifier import OwnClassifier
from workflow_scripts.embedding.torch_setup import has_bfloat16, torch_threads
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.device_memory import check_device_memory
from workflow_scripts.tuning.devices import fixed_order_of_sums
from workflow_scripts.tuning.learning_curve import LearningCurve, draw_curve
from workflow_scripts.tuning.objective import Objective, TrainingContext
from workflow_scripts.tuning.optimisers import make_optimiser, take_step
from workflow_scripts.tuning.own_weights import load_own_weights, own_weights
from workflow_scripts.tuning.processes import Processes, Workers
from workflow_scripts.tuning.recipe import METHODS, TuningRecipe
from workflow_scripts.tuning.step_log import StepLog
from workflow_scripts.tuning.tuning_state import BestWeights, Progress, StateFile, Trained

_SCHEDULERS = {"constant": "constant_with_warmup", "linear": "linear", "cosine": "cosine"}
# Scores a model, and the classifier of a method that trains one, on a development set, the higher
# the better.
Score = Callable[[LoadedModel, OwnClassifier | None], float]


@dataclass(frozen=True)
class TuningSummary:
    """What the loop did: no times, since records must be reproducible."""

    steps: int
    first_loss: float
    last_loss: float
    untuned_score: float | None = None
    best_step: int | None = None
    best_score: float | None = None
    # the first step whose dropout masks were changed by a lack of memory
    masks_changed_at: int | None = None
    # weights that the method trained alongside the model
    own_weights: dict[str, torch.Tensor] = field(default_factory=dict)
    # SVG
    learning_curve: str = ""

    def as_record(self) -> dict[str, int | float]:
        record = {key: value for key, value in vars(self).items() if value is not None}
        del record["own_weights"], record["learning_curve"]
        return record


def tune_model(
    loaded: LoadedModel,
    corpus: Any,
    recipe: TuningRecipe,
    seed: int,
    step_log: TextIO | None = None,
    *,
    score: Score | None = None,
    state: StateFile | None = None,
    processes: Processes | None = None,
    trackers: Sequence[Any] = (),
) -> TuningSummary:
    """Tune the weights of `loaded.model` in place: same machine and seed, same weights.

    `corpus` is what `read` of the recipe's method gives, `score` is of the recipe's development
    set, `state` where an interrupted run left off; `step_log` takes JSON lines, `trackers` the same
    rows. Raises `UserError` if the loss runs away, for a model that cannot take a choice, and for
    lack of memory.
    """
    watched = recipe.development
    if watched is not None and score is None:
        raise UserError("development", "no data set to score on", "set development: null")
    processes = processes or Processes()
    device = next(loaded.model.parameters()).device
    dtype = settle_precision(recipe.precision, device)
    # float16 loses small gradients unless they are scaled up
    scaled = dtype == torch.float16 and device.type == "cuda"
    scaler = torch.amp.GradScaler(device.type, enabled=scaled)
    threads, on_cpu = torch.get_num_threads(), device.type == "cpu"
    workers = Workers(threads if on_cpu else 1)
    context = TrainingContext(seed, device, dtype, scaler, processes, workers)
    method = plugins.load(METHODS, recipe.method)
    objective: Objective = method.objective(loaded, corpus, recipe, context)
    load_own_weights(objective.trained, loaded)
    check_device_memory(objective.trained, device)
    optimiser = make_optimiser(objective.trained, recipe)
    rate_factor = _schedule(recipe, objective.steps)
    best = BestWeights()
    trained = (objective.trained, optimiser, scaler)
    progress = Progress() if state is None else state.load(trained, best)
    where = f"{threads} threads" if on_cpu else f"{device}, {processes.count} processes"
    quiet = not processes.is_first
    log = StepLog(step_log, objective.steps, progress, where, quiet, trackers)

    def scored() -> float:
        """Return the score of the first process, for all of them."""
        with torch_threads(threads):
            assert score is not None
            own = score(loaded, objective.classifier) if processes.is_first else 0
        return processes.sum(torch.tensor(own, dtype=torch.float64, device=device)).item()

    # sums depend on how many threads share them
    alone = torch_threads(1 if on_cpu else threads)
    with closing(log), workers, alone, fixed_order_of_sums(device):
        if watched and progress.untuned is None:
            progress.untuned = scored()
            log.add_untuned(progress.untuned)
        for step, batch in enumerate(objective.batches(), start=1):
            if step <= progress.step:
                continue
            rate = recipe.learning_rate * rate_factor(step - 1)
            try:
                taken = objective.step(step, batch)
                _join(trained, recipe.max_gradient_norm, processes)
                take_step(optimiser, scaler, step, rate, threads)
            except torch.OutOfMemoryError as error:
                raise UserError(
                    None,
                    "out of memory for the loss or the optimiser, in addition to the model",
                    "lower batch_size in the recipe or use a smaller model",
                ) from error
            value = None
            if watched and (step % watched.every == 0 or step == objective.steps):
                value = scored()
                best.offer(step, value, objective.trained)
            log.add(step, taken, rate, value)
            progress.step = step
            if progress.masks_changed_at is None and objective.masks_changed:
                progress.masks_changed_at = step
            if watched and watched.patience is not None and best.since >= watched.patience:
                break
            if state is not None and state.is_due() and processes.is_first:
                log.flush()
                state.save(trained, progress, best)
        log.flush()
    best.restore(objective.trained)
    if watched and processes.is_first:
        warn_if_not_better(progress.untuned, best.score)
    assert progress.first_loss is not None and progress.last_loss is not None
    losses = (progress.first_loss, progress.last_loss, progress.untuned)
    chosen = (best.step or None, best.score, progress.masks_changed_at)
    own = own_weights(objective.trained, loaded.model)
    curve = LearningCurve(objective.steps, progress.curve)
    points = curve.points(progress.untuned)
    picture = draw_curve(points, progress.step, curve.width, best.step or None)
    return TuningSummary(progress.step, *losses, *chosen, own, picture)


def warn_if_not_better(untuned: float | None, best: float | None) -> None:
    """Warn if no score on the development set is above the untuned model's."""
    if untuned is not None and best is not None and best <= untuned:
        print(
            f"warning: no step is better on the development set than the model untuned "
            f"({untuned:.4f}; best {best:.4f}): change the recipe (learning_rate, epochs, pooling) "
            "or the corpus",
            file=sys.stderr,
        )


def _join(all_trained: Trained, max_norm: float | None, processes: Processes) -> None:
    """Sum the gradients of all processes, and clip them."""
    trained, optimiser, scaler = all_trained
    for parameter in trained.parameters():
        if parameter.grad is not None and parameter.grad.is_sparse:
            parameter.grad = parameter.grad.to_dense()
    processes.sum_gradients(trained.parameters())
    if max_norm is not None:
        scaler.unscale_(optimiser)
        torch.nn.utils.clip_grad_norm_(trained.parameters(), max_norm)


def settle_precision(name: str, device: torch.device) -> torch.dtype:
    """Return the type of the forward passes; warns of one that a processor only emulates.

    `auto` is bfloat16 on a GPU (float16 where it has none) and float32 elsewhere.
    """
    if name == "auto":
        if device.type != "cuda":
            return torch.float32
        return torch.bfloat16 if has_bfloat16(device) else torch.float16
    dtype = getattr(torch, name)
    native = dtype == torch.float32 or device.type != "cpu"
    if not native and (dtype == torch.float16 or not has_bfloat16(device)):
        print(f"warning: this processor emulates {name}: slower than float32", file=sys.stderr)
    return dtype


def _schedule(recipe: TuningRecipe, steps: int) -> Callable[[int], float]:
    """Return what gives the factor of the learning rate after a number of steps."""
    # The schedulers of transformers hold a function of the step; the optimiser is a stand-in.
    synthetic = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    warmup = round(recipe.warmup * steps)
    return get_scheduler(_SCHEDULERS[recipe.schedule], synthetic, warmup, steps).lr_lambdas[0]
