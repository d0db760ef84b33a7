"""Fixtures of the checks of a device (`device_runs.DEVICE`): its model, corpora and figures."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path

import pytest
import torch
import transformers
from device_runs import DEVICE, ON_GPU, write_corpora
from tiny_models import make_bert

from benchmarks.settings import BERT_BASE
from workflow_scripts.embedding.encoder_folder import load_model

Figures = Callable[..., None]
Limit = Callable[..., AbstractContextManager[None]]


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    """Tiny matrices are slower on several threads; a large model's are not."""
    if not ON_GPU:
        torch.set_num_threads(1)


@pytest.fixture(scope="session")
def device() -> str:
    return DEVICE


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Path:
    """The folder of a random model: of BERT-base's shape on a GPU, else a tiny one."""
    shape = {**BERT_BASE, "vocab_size": 30_522, "initializer_range": 0.02} if ON_GPU else {}
    return make_bert(tmp_path_factory.mktemp("models") / "random-bert", **shape)


@pytest.fixture(scope="session")
def untuned(model) -> dict[str, torch.Tensor]:
    """The weights of the model by name."""
    return load_model(str(model)).model.state_dict()


@pytest.fixture(scope="session")
def corpora(tmp_path_factory) -> Path:
    """The folder of `device_runs.write_corpora`."""
    return write_corpora(tmp_path_factory.mktemp("corpora"))


@pytest.fixture
def figure(record_property) -> Iterator[Figures]:
    """A function that notes a figure with its bound for the report.

    A figure beyond its bound fails the test at its end, so that the report has the others too.
    """
    beyond = []

    def note(
        name: str, value: float, at_most: float | None = None, at_least: float | None = None
    ) -> None:
        bounds = [("at most", at_most), ("at least", at_least)]
        told = "".join(f", {words} {bound:g}" for words, bound in bounds if bound is not None)
        record_property(name, f"{value:.4g}{told}")
        # nan is beyond every bound
        is_low_enough = at_most is None or value <= at_most
        is_high_enough = at_least is None or value >= at_least
        if not (is_low_enough and is_high_enough):
            beyond.append(f"{name}: {value:.4g}{told}")

    yield note
    if beyond:
        pytest.fail("\n".join(beyond), pytrace=False)


@pytest.fixture
def limited_memory(monkeypatch) -> Limit:
    """A context in which memory does not suffice for more than a part of `run`'s needs.

    On a GPU it ends at `share` of what `run` takes beyond `least`. On a processor a pass
    of more than `rows` rows fails instead.
    """

    @contextmanager
    def limit_gpu(run, least, share, rows):
        least_bytes, most_bytes = peak_of(least), peak_of(run)
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.empty_cache()
        allowed = least_bytes + share * (most_bytes - least_bytes)
        torch.cuda.set_per_process_memory_fraction(allowed / total)
        try:
            yield
        finally:
            torch.cuda.set_per_process_memory_fraction(1.0)

    @contextmanager
    def limit_rows(run, least, share, rows):
        forward = transformers.BertModel.forward

        # with its signature, by which the model is checked
        @wraps(forward)
        def limited(self, input_ids=None, **options):
            if len(input_ids) > rows:
                raise torch.OutOfMemoryError("CUDA out of memory")
            return forward(self, input_ids=input_ids, **options)

        with monkeypatch.context() as patch:
            patch.setattr(transformers.BertModel, "forward", limited)
            yield

    return limit_gpu if ON_GPU else limit_rows


def peak_of(run: Callable[[], object]) -> int:
    """Return the bytes that torch reserves of the GPU for a run."""
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    run()
    return torch.cuda.max_memory_reserved()
