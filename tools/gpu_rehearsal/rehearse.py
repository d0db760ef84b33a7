"""A scenario on the fake device: what its step was, counted.

To be imported after `load_fake_device`.
"""

import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch
from transformers import AutoModel, AutoModelForMaskedLM, PreTrainedConfig

from tools.gpu_rehearsal.allocations import Allocations
from tools.gpu_rehearsal.cards import CARDS
from tools.gpu_rehearsal.counting import OperatorCounts
from tools.gpu_rehearsal.fake_cuda import fake_cuda
from tools.gpu_rehearsal.scenarios import MODELS, Embedding, Scenario, tokenizer
from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.tuning import step_log
from workflow_scripts.tuning.loop import tune_model
from workflow_scripts.tuning.tuning_state import Progress, StateFile


@dataclass(frozen=True)
class Counts:
    """What a step asked for; memory in bytes, at its peak and the most of each category.

    `answers` are the messages when memory ran out, in this step or before, `bounds` the least
    seconds by card, `synchronisations` how often the host waits, by place and reason.
    """

    step: int
    parameters: int
    operators: dict[str, int]
    launches: int
    flops: int
    moved: int
    copied: dict[str, int]
    peak: int
    peak_by_category: dict[str, int]
    most_by_category: dict[str, int]
    bounds: dict[str, float]
    synchronisations: dict[str, int]
    answers: list[str] = field(default_factory=list)


class _StepsDone(Exception):
    """Enough steps were counted."""


class _Watch(StateFile):
    """Stands in for the state file of a run, which the loop calls before a step and after it.

    Ends the run after a step, from the second on, in which memory did not run out.
    """

    def __init__(self, counts: OperatorCounts) -> None:
        self._counts, self.step = counts, 0

    def load(self, trained: Any, best: Any) -> Progress:
        module, self._optimiser, _ = trained
        self.parameters = sum(parameter.numel() for parameter in module.parameters())
        self._counts.adopt(module)
        self._optimiser.register_step_pre_hook(self._counts.adopt_gradients)
        self._counts.begin()
        return Progress()

    def is_due(self) -> bool:
        self.step += 1
        self._counts.adopt_state(self._optimiser)
        if self.step > 1 and not self._counts.allocations.failures:
            raise _StepsDone
        self._counts.begin()
        return False


def rehearse(
    scenario: Scenario | Embedding,
    limit: float = math.inf,
    around: Callable[[], Any] = nullcontext,
) -> Counts:
    """Return the counts of a step of the second kind: the optimiser has its state, memory suffices.

    Of embedding, those of all batches. With a `limit` in bytes an allocation beyond it is a lack of
    memory, and what the project makes of it is counted. `around` gives a context of the whole run.
    Raises `UserError` as the run itself.
    """
    allocations = Allocations(limit=limit)
    bfloat16 = isinstance(scenario, Scenario) and scenario.precision == "bfloat16"
    answers = StringIO()
    with (
        _quiet(answers),
        tempfile.TemporaryDirectory() as folder,
        fake_cuda(allocations, bfloat16),
        OperatorCounts(allocations) as counts,
        around(),
    ):
        loaded = _model(MODELS[scenario.model], Path(folder))
        if isinstance(scenario, Embedding):
            counts.adopt(loaded.model)
            parameters, step = sum(map(torch.numel, loaded.model.parameters())), 1
            counts.begin()
            settings = EncoderSettings("cls", 25)
            encode_strings(loaded, scenario.strings(), settings, precision="float16")
        else:
            watch, recipe = _Watch(counts), scenario.recipe()
            try:
                tune_model(loaded, scenario.corpus(recipe), recipe, 1, state=watch)
            except _StepsDone:
                pass
            else:
                raise UserError(scenario.name, "memory ran out in every step", "raise the limit")
            parameters, step = watch.parameters, watch.step
    told = [line for line in answers.getvalue().splitlines() if "out of memory" in line]
    places = {f"{place}: {what}": n for (place, what), n in counts.synchronisations.most_common()}
    return Counts(
        *(step, parameters, dict(counts.operators.most_common()), counts.launches),
        *(counts.flops, counts.moved, dict(counts.copied), allocations.peak),
        dict(allocations.peak_by_category.most_common()),
        dict(allocations.most_by_category.most_common()),
        {card.name: counts.bounds[card.name] for card in CARDS},
        places,
        told,
    )


def _model(config: PreTrainedConfig, folder: Path) -> LoadedModel:
    """Return a model without weights on the fake device, as `load_model` would."""
    config._attn_implementation = "sdpa"
    config.save_pretrained(folder)
    with torch.device("cuda"):
        model = AutoModel.from_config(config)
    return LoadedModel(model, tokenizer(), "rehearsed", "0" * 64, "0" * 64, folder)


def _without_weights(folder: Path, config: PreTrainedConfig, **options: Any) -> Any:
    with torch.device("cuda"):
        return AutoModelForMaskedLM.from_config(config)


@contextmanager
def _quiet(stream: StringIO) -> Iterator[None]:
    """Keep what a run says in `stream`.

    A masked language model has no weights to be read, and the log, which reads losses every few
    seconds, no clock: counts do not depend on the machine.
    """
    no_weights = patch.object(AutoModelForMaskedLM, "from_pretrained", _without_weights)
    no_clock = patch.object(step_log, "time", SimpleNamespace(monotonic=float))
    one_process = patch.dict(os.environ, {"WORLD_SIZE": "1"})
    with redirect_stderr(stream), no_weights, no_clock, one_process:
        try:
            yield
        except Exception:
            print(stream.getvalue(), file=sys.__stderr__)
            raise
