"""Where an interrupted tuning left off, so that it goes on from there."""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from workflow_scripts.errors import UserError
from workflow_scripts.training_state import load_state, read_position, save_state
from workflow_scripts.tuning.development import BestWeights


@dataclass
class Progress:
    """Steps done and the losses of the first and the last of them."""

    step: int = 0
    first_loss: float | None = None
    last_loss: float | None = None

    def note_loss(self, loss: float) -> None:
        """Take the loss of the next step."""
        self.first_loss = loss if self.first_loss is None else self.first_loss
        self.last_loss = loss


class StateFile:
    """The file of a run that `digest` stands for, written about every `seconds` seconds.

    The state of another run (another recipe, corpus, model or seed) or a damaged one is not gone on
    from: the run starts anew.
    """

    def __init__(self, path: Path, digest: str, seconds: float = 60.0) -> None:
        self.path = path
        self._digest = digest
        self._seconds = seconds
        self._saved = time.monotonic()
        self._asked_to_end = False

    @contextmanager
    def saved_on_sigterm(self) -> Iterator[None]:
        """Let SIGTERM save the state after the step under way, and then end the process.

        A scheduler sends it some seconds before SIGKILL where a job is past its time, cancelled or
        preempted.
        """

        def ask_to_end(*_: object) -> None:
            self._asked_to_end = True

        before = signal.signal(signal.SIGTERM, ask_to_end)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)

    def read(self) -> Progress:
        """Return how far the interrupted run came; step 0 where there is none to go on from."""
        return Progress(**(self._position() or {}).get("progress", {}))

    def load(
        self, model: torch.nn.Module, optimiser: torch.optim.AdamW, best: BestWeights
    ) -> Progress:
        """Restore model, optimiser and `best` in place and return how far the run had come."""
        position = self._position()
        if position is None:
            return Progress()
        progress = Progress(**position["progress"])
        weights = load_state(self.path, model, optimiser, progress.step)
        best.take_position(position["best"], weights)
        print(f"going on after step {progress.step}", file=sys.stderr)
        return progress

    def _position(self) -> dict[str, Any] | None:
        if not self.path.is_file():
            return None
        try:
            position = read_position(self.path)
        except UserError as error:
            print(f"warning: {error}; starting anew", file=sys.stderr)
            return None
        return position if position.get("digest") == self._digest else None

    def is_due(self) -> bool:
        """Return whether it is time to save."""
        return self._asked_to_end or time.monotonic() - self._saved >= self._seconds

    def save(
        self,
        model: torch.nn.Module,
        optimiser: torch.optim.AdamW,
        progress: Progress,
        best: BestWeights,
    ) -> None:
        """Write the state, whole or not at all; end the process if it was asked to end."""
        position = {
            "digest": self._digest,
            "progress": asdict(progress),
            "best": best.as_position(),
        }
        save_state(self.path, model, optimiser, position, best.weights)
        self._saved = time.monotonic()
        if self._asked_to_end:
            print(
                f"asked to end (SIGTERM): the state after step {progress.step} is kept, and the "
                "next attempt goes on from there",
                file=sys.stderr,
            )
            sys.exit(128 + signal.SIGTERM)

    def remove(self) -> None:
        """Remove the file, once what it stood for is written."""
        self.path.unlink(missing_ok=True)
