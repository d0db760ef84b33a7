"""The progress of a tuning while it runs: JSON lines, and a progress bar or printed lines."""

import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import torch
from tqdm import tqdm

from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import write_text
from workflow_scripts.tuning.learning_curve import DEVELOPMENT, LearningCurve
from workflow_scripts.tuning.objective import Step
from workflow_scripts.tuning.tuning_state import Progress

_STEPS_BETWEEN_FLUSHES = 20
_SECONDS_BETWEEN_FLUSHES = 5.0
_SECONDS_BETWEEN_LINES = 60.0


def keep_steps(path: Path, last: int) -> None:
    """Keep only the rows of steps up to `last` in a file of JSON lines, none of them for 0."""
    with damaged_file_error(path):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []
        kept = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= last]
    # a start from step 0 also measures the score before the first step again
    write_text(path, "".join(kept) if last else "")


class StepLog:
    """Collects the measures of steps and writes them every few steps, to `stream` as JSON lines.

    They stay on the device until then, so that no step waits for the one before. First and last
    loss and the learning curve go into `progress`; trackers get the same rows.
    """

    def __init__(
        self,
        stream: TextIO | None,
        steps: int,
        progress: Progress,
        where: str,
        quiet: bool = False,
        trackers: Sequence[Any] = (),
    ) -> None:
        self._stream, self._steps, self._progress, self._quiet = stream, steps, progress, quiet
        self._trackers = trackers
        self._waiting: list[tuple[int, dict[str, torch.Tensor], dict[str, float]]] = []
        self._started = self._flushed = self._told = time.monotonic()
        self._first = progress.step
        self._curve = LearningCurve(steps, progress.curve)
        self._strings = self._tokens = 0
        self._bar = None
        if not quiet:
            print(f"tuning: {steps} steps, {where}", file=sys.stderr)
        if sys.stderr.isatty() and not quiet:
            done = progress.step
            self._bar = tqdm(total=steps, initial=done, unit="step", desc="tuning", leave=False)

    def add_untuned(self, development: float) -> None:
        """Note the score of the model before the first step."""
        self._write({"step": 0, "development": development})
        if not self._quiet:
            line = f"step 0/{self._steps}: untuned, development {development:.4f}"
            tqdm.write(line, file=sys.stderr)
        # it is not part of the time of the steps
        self._started = self._told = time.monotonic()

    def add(self, step: int, taken: Step, rate: float, development: float | None = None) -> None:
        """Note a step and the score after it, if there was one; `UserError` as `flush`."""
        self._strings += taken.strings
        self._tokens += taken.tokens
        now = time.monotonic()
        seconds = max(now - self._started, 1e-9)
        speeds = {"strings": self._strings, "tokens": self._tokens}
        rates = {"learning_rate": rate}
        rates |= {f"{what}_per_second": round(n / seconds, 1) for what, n in speeds.items()}
        rates |= {} if development is None else {"development": development}
        self._waiting.append((step, taken.measures, rates))
        due = now - self._flushed > _SECONDS_BETWEEN_FLUSHES
        if due or len(self._waiting) >= _STEPS_BETWEEN_FLUSHES or step in (1, self._steps):
            self.flush()

    def flush(self) -> None:
        """Write the steps that wait; `UserError` if a loss among them is not finite."""
        measured = [value for _, measures, _ in self._waiting for value in measures.values()]
        # the device is waited for once
        values = iter(torch.stack(measured).tolist() if measured else ())
        waiting, self._waiting = self._waiting, []
        self._flushed = time.monotonic()
        for step, measures, rates in waiting:
            taken = {name: next(values) for name in measures}
            row = {"step": step, **taken, **rates}
            if not math.isfinite(row["loss"]):
                raise UserError(
                    None, f"the loss is not finite at step {step}", "lower learning_rate"
                )
            told = self._progress
            told.first_loss = row["loss"] if told.first_loss is None else told.first_loss
            told.last_loss = row["loss"]
            scores = {key: value for key, value in rates.items() if key == DEVELOPMENT}
            self._curve.add(step, taken | scores)
            self._write(row)
            self._tell(row)
        if self._stream is not None:
            self._stream.flush()

    def _write(self, row: dict[str, Any]) -> None:
        """Give {"step": its number, measure: value} to the log and the trackers."""
        if self._stream is not None:
            self._stream.write(json.dumps(row) + "\n")
        values = {name: value for name, value in row.items() if name != "step"}
        for tracker in self._trackers:
            tracker.log(values, step=row["step"])

    def _tell(self, row: dict[str, Any]) -> None:
        step, steps = row["step"], self._steps
        score = f", development {row['development']:.4f}" if "development" in row else ""
        if self._bar is not None:
            self._bar.update(step - self._bar.n)
            self._bar.set_postfix_str(f"loss {row['loss']:.4f}{score}")
            return
        now = time.monotonic()
        due = step in (1, steps) or step % max(steps // 10, 1) == 0
        due = due or now - self._told > _SECONDS_BETWEEN_LINES
        if not self._quiet and (score or due):
            self._told = now
            rate = f"{row['strings_per_second']:.0f} strings/s"
            if step < steps:
                seconds = (now - self._started) / (step - self._first) * (steps - step)
                rate += f", {tqdm.format_interval(seconds)} left"
            print(f"step {step}/{steps}: loss {row['loss']:.4f}, {rate}{score}", file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
