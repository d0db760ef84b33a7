"""What is told of a tuning while it runs: JSON lines, and a progress bar or lines."""

import json
import math
import sys
import time
from pathlib import Path
from typing import Any, TextIO

import torch
from tqdm import tqdm

from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.tuning.tuning_state import Progress

_STEPS_BETWEEN_FLUSHES = 20
_SECONDS_BETWEEN_FLUSHES = 5.0


def keep_steps(path: Path, last: int) -> None:
    """Leave in a file of JSON lines the rows of the steps up to `last`, if there is such a file."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []
    kept = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= last]
    write_text(path, "".join(kept))


class StepLog:
    """Collects the measures of steps and writes them every few steps.

    Measures stay on the device until they are written, so that no step waits for the one before;
    rates count steps as they are handed to it, as means over the run (this process's, where it
    resumed one). `stream` takes JSON lines: step, loss, alignment, uniformity, learning_rate,
    strings_per_second, tokens_per_second, and development where there was a score. First and last
    loss go into `progress`, how far the run is to stderr.
    """

    def __init__(
        self, stream: TextIO | None, steps: int, progress: Progress, quiet: bool = False
    ) -> None:
        self._stream = stream
        self._steps = steps
        self._waiting: list[tuple[dict[str, Any], torch.Tensor]] = []
        self._started = self._flushed = time.monotonic()
        self._strings = self._tokens = 0
        self._progress = progress
        self._quiet = quiet
        self._bar = (
            tqdm(total=steps, initial=progress.step, unit="step", desc="tuning", leave=False)
            if sys.stderr.isatty() and not quiet
            else None
        )

    def add(
        self,
        step: int,
        measures: torch.Tensor,
        learning_rate: float,
        strings: int,
        tokens: int,
        development: float | None = None,
    ) -> None:
        """Note a step; `measures` are loss, alignment and uniformity, [3] on any device.

        `development` is the score after the step, if there was one. Raises `UserError` if a loss
        that is due to be written is not finite.
        """
        self._strings += strings
        self._tokens += tokens
        now = time.monotonic()
        seconds = max(now - self._started, 1e-9)
        row = {
            "step": step,
            "learning_rate": learning_rate,
            "strings_per_second": round(self._strings / seconds, 1),
            "tokens_per_second": round(self._tokens / seconds, 1),
        }
        if development is not None:
            row["development"] = development
        self._waiting.append((row, measures))
        due = now - self._flushed > _SECONDS_BETWEEN_FLUSHES
        if due or len(self._waiting) >= _STEPS_BETWEEN_FLUSHES or step in (1, self._steps):
            self.flush()

    def flush(self) -> None:
        """Write the steps that wait; `UserError` if a loss among them is not finite."""
        if not self._waiting:
            return
        values = torch.stack([measures for _, measures in self._waiting]).tolist()
        rows = [
            {"step": row["step"], "loss": loss, "alignment": near, "uniformity": spread, **row}
            for (row, _), (loss, near, spread) in zip(self._waiting, values, strict=True)
        ]
        self._waiting = []
        self._flushed = time.monotonic()
        for row in rows:
            if not math.isfinite(row["loss"]):
                raise UserError(
                    f"the loss is not finite at step {row['step']}; lower learning_rate"
                )
            self._progress.note_loss(row["loss"])
            if self._stream is not None:
                self._stream.write(json.dumps(row) + "\n")
            self._tell(row)
        if self._stream is not None:
            self._stream.flush()

    def _tell(self, row: dict[str, Any]) -> None:
        step, steps = row["step"], self._steps
        score = f", development {row['development']:.4f}" if "development" in row else ""
        if self._bar is not None:
            self._bar.update(step - self._bar.n)
            self._bar.set_postfix_str(f"loss {row['loss']:.4f}{score}")
        elif not self._quiet and (score or step in (1, steps) or step % max(steps // 10, 1) == 0):
            print(
                f"step {step}/{steps}: loss {row['loss']:.4f}, "
                f"{row['strings_per_second']:.0f} strings/s{score}",
                file=sys.stderr,
            )

    def close(self) -> None:
        """Take the progress bar away."""
        if self._bar is not None:
            self._bar.close()
