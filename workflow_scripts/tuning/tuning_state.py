"""Where an interrupted tuning stopped, to continue from there, and the best weights so far."""

import math
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.training_state import load_state, read_position, save_state

# What a state file restores in place, and a step moves.
Trained = tuple[torch.nn.Module, torch.optim.Optimizer, torch.amp.GradScaler]

# A state of a large model has gigabytes: between two are at least so many times the seconds that
# saving one took, so that states take a twentieth of a run's time at most.
_PAUSE_BY_SAVE = 20


@dataclass
class Progress:
    """Steps done and the losses of the first and the last; the development score before them.

    `masks_changed_at` is the first step whose masks are others than with enough memory, if any;
    `curve` the sums of `LearningCurve`.
    """

    step: int = 0
    untuned: float | None = None
    first_loss: float | None = None
    last_loss: float | None = None
    masks_changed_at: int | None = None
    curve: dict[str, list[list[float]]] = field(default_factory=dict)


class BestWeights:
    """The best score so far, its step and weights; `since` counts the scores after it."""

    def __init__(self) -> None:
        self.step, self.since = 0, 0
        self.score: float | None = None
        self.weights: dict[str, torch.Tensor] = {}

    def offer(self, step: int, score: float, model: torch.nn.Module) -> None:
        """Take the score of `model` after `step`; of equal ones the first stays the best."""
        if not math.isfinite(score):
            raise UserError("development", f"the score after step {step} is {score}", "see the log")
        if self.score is not None and score <= self.score:
            self.since += 1
            return
        self.step, self.score, self.since = step, score, 0
        self.weights = {name: own.detach().cpu().clone() for name, own in model.named_parameters()}

    @torch.no_grad()
    def restore(self, model: torch.nn.Module) -> None:
        for name, parameter in model.named_parameters():
            if name in self.weights:
                parameter.copy_(self.weights[name])


class StateFile:
    """The file of the run that `digest` identifies; no other run continues from it.

    Between two states are at least `seconds`, and 20 times what the last one took to save; with
    0 each step is saved.
    """

    def __init__(self, path: Path, digest: str, seconds: float = 60.0) -> None:
        self.path, self._digest, self._seconds = path, digest, seconds
        self._pause = seconds
        # the first state is kept sooner
        self._saved = time.monotonic() - seconds / 2
        self._asked_to_end: signal.Signals | None = None

    @contextmanager
    def saved_on_signals(self) -> Iterator[None]:
        """Let SIGTERM, which schedulers send before SIGKILL, and Ctrl-C save the state and end.

        That is after the step; a second Ctrl-C ends at once.
        """

        def ask_to_end(number: int, _frame: object) -> None:
            self._asked_to_end = signal.Signals(number)
            if number == signal.SIGINT:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                print("stopping after this step; Ctrl-C again stops at once", file=sys.stderr)

        before = {signal.SIGTERM: signal.signal(signal.SIGTERM, ask_to_end)}
        # processes that ignore Ctrl-C, such as those in the background, continue to
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            before[signal.SIGINT] = signal.signal(signal.SIGINT, ask_to_end)
        try:
            yield
        except KeyboardInterrupt:
            raise KeyboardInterrupt(self._kept(self.read().step)) from None
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _kept(self, step: int) -> str:
        """Return the message on the saved state of a run that ends early."""
        if not step:
            return "no step was saved yet; run the same command again to start over"
        return (
            f"the state after step {step} is saved in {self.path.name} next to the output; "
            "the same command continues from there"
        )

    def read(self) -> Progress:
        """Return how far the interrupted run came; step 0 if there is none to continue."""
        return self._position()[0]

    def load(self, trained: Trained, best: BestWeights) -> Progress:
        """Restore all of them in place and return how far the run had come."""
        progress, best_so_far = self._position()
        if best_so_far is not None:
            best.weights = load_state(self.path, *trained)
            best.step, best.score, best.since = best_so_far
            print(f"continuing after step {progress.step}", file=sys.stderr)
        return progress

    def _position(self) -> tuple[Progress, Any]:
        """Return how far the run had come, and step, score and number of `BestWeights`."""
        try:
            position = read_position(self.path) if self.path.is_file() else {}
            if position.get("digest") == self._digest:
                with damaged_file_error(self.path):
                    step, score, since = position["best"]
                    return Progress(**position["progress"]), (step, score, since)
        except UserError as error:
            print(f"warning: {error}; starting over", file=sys.stderr)
        return Progress(), None

    def is_due(self) -> bool:
        return self._asked_to_end is not None or time.monotonic() - self._saved >= self._pause

    def save(self, trained: Trained, progress: Progress, best: BestWeights) -> None:
        """Write the state, whole or not at all; end the process if it was asked to end."""
        position: dict[str, Any] = {"digest": self._digest, "progress": asdict(progress)}
        position["best"] = (best.step, best.score, best.since)
        model, optimiser, scaler = trained
        started = time.monotonic()
        save_state(self.path, model, optimiser, position, best.weights, scaler)
        self._saved = time.monotonic()
        if self._seconds:
            took = self._saved - started
            self._pause = max(self._seconds, _PAUSE_BY_SAVE * took)
        if self._asked_to_end is not None:
            why = "interrupted" if self._asked_to_end == signal.SIGINT else "stopped by SIGTERM"
            print(f"{why}: {self._kept(progress.step)}", file=sys.stderr)
            sys.exit(128 + self._asked_to_end)
