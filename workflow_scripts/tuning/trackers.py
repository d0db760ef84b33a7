"""Trackers of experiments, by accelerate: a tuning's curves in TensorBoard and Weights & Biases."""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from workflow_scripts.downloads.answers import reason_of
from workflow_scripts.errors import UserError, nearest_name

# each is a package of the same name; what to do where it does not start
_REMEDIES = {
    "tensorboard": "give another --tracking-folder",
    "wandb": "run `wandb login`, or set WANDB_MODE=offline",
}
PROJECT = "mirror-bert"


def tracker_names(report_to: str | Sequence[str]) -> list[str]:
    """Return the trackers that are named, each once; commas separate them too.

    Raises `UserError` for one that is not known, and for one that is not installed.
    """
    words = [report_to] if isinstance(report_to, str) else report_to
    names = [name.strip() for word in words for name in word.split(",")]
    for name in names:
        if name not in _REMEDIES:
            remedy = nearest_name(name, _REMEDIES)
            raise UserError(f"--report-to {name}", "no such tracker", remedy)
        if find_spec(name) is None:
            raise UserError(f"--report-to {name}", "not installed", f"pip install {name}")
    return list(dict.fromkeys(names))


@contextmanager
def start_trackers(
    names: Sequence[str], folder: Path, run: str, record: Mapping[str, Any]
) -> Iterator[list[Any]]:
    """Start trackers of accelerate and end them after the block; their files are below `folder`.

    `run` is the name of this tuning, to which the time is added; `record` says what is tuned and
    how. Raises `UserError` for one that does not start.
    """
    if not names:
        yield []
        return
    # Only now: accelerate takes a second to import.
    import torch
    from accelerate import PartialState
    from accelerate.tracking import TensorBoardTracker, WandBTracker

    PartialState(cpu=not torch.cuda.is_available())
    own_run = f"{run.replace('/', '--')}-{time.strftime('%Y%m%d-%H%M%S')}"
    settings = {
        key: value if isinstance(value, int | float | str) else json.dumps(value)
        for key, value in record.items()
    }
    started: list[Any] = []
    with ExitStack() as stack:
        for name in names:
            tracker: Any
            if name == "tensorboard":
                tracker = TensorBoardTracker(own_run, folder)
            else:
                project = os.environ.get("WANDB_PROJECT", PROJECT)
                tracker = WandBTracker(project, name=own_run, dir=str(folder))
            try:
                folder.mkdir(parents=True, exist_ok=True)
                tracker.start()
                tracker.store_init_configuration(settings)
            except Exception as error:  # each has errors of its own
                problem = f"does not start ({reason_of(error)})"
                raise UserError(f"--report-to {name}", problem, _REMEDIES[name]) from error
            stack.callback(tracker.finish)
            started.append(tracker)
        yield started
