"""Gradients of a batch from its micro-batches: those of one pass, however the batch is cut."""

from dataclasses import replace
from unittest.mock import patch

import pytest
import torch
from plain_training import gpu_ways, gradients_of
from tiny_architectures import ARCHITECTURES
from tiny_models import cpu_means, make_sentences

from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import tokenize_strings
from workflow_scripts.errors import UserError
from workflow_scripts.tuning import devices, micro_batches, training_copy
from workflow_scripts.tuning.batch_gradients import BatchGradients
from workflow_scripts.tuning.dropout_masks import DropoutMasks
from workflow_scripts.tuning.losses import nt_xent_loss
from workflow_scripts.tuning.passes import Passes
from workflow_scripts.tuning.plain_step import plain_vectors
from workflow_scripts.tuning.processes import Workers
from workflow_scripts.tuning.training_copy import TrainingCopy

__all__ = ["gpu_ways"]
LENGTH = 20
MEANS = cpu_means()
STRINGS = make_sentences(14)


@pytest.fixture(autouse=True)
def small_micro_batches(monkeypatch):
    """A batch of tiny strings in several micro-batches, as a real one is."""
    traits = replace(devices.TRAITS["cpu"], overhead=4, most_tokens=200)
    monkeypatch.setitem(devices.TRAITS, "cpu", traits)


def loss_of(vectors):
    return nt_xent_loss(*vectors.chunk(2), 0.1)


class RecordedMasks(DropoutMasks):
    """Keeps the masks of every micro-batch, in the order in which the model asked for them."""

    def __init__(self):
        super().__init__(33, "cpu")
        self.drawn = {}

    def start(self, step, number, start, stop, rows):
        super().start(step, number, start, stop, rows)
        self.current = self.drawn.setdefault(number, [])

    def draw(self, shape, rate, dtype):
        self.current.append(super().draw(shape, rate, dtype))
        return self.current[-1]


class ReplayedMasks(DropoutMasks):
    """Gives one pass over a whole batch the masks that its micro-batches had."""

    def __init__(self, drawn, micro_batches):
        super().__init__(33, "cpu")
        self.drawn, self.micro_batches, self.calls = drawn, micro_batches, 0

    def draw(self, shape, rate, dtype):
        mask = torch.ones(shape, dtype=dtype)
        for number, one in self.micro_batches.items():
            own = self.drawn[number][self.calls]
            rows = torch.tensor(one.rows)
            assert len(own) == len(rows)
            place = mask[rows]
            place[tuple(slice(size) for size in own.shape)] = own
            mask[rows] = place
        self.calls += 1
        return mask


def copy_of(loaded, pooling, masks=None, means=MEANS):
    """A copy that drops out and drops heads, with `masks`; for cls of the first position alone."""
    with patch.object(training_copy, "DropoutMasks", lambda *_: masks or DropoutMasks(33, "cpu")):
        return TrainingCopy(loaded.model, means, 0.2, 0.2, first_alone=pooling == "cls")


def token_ids_of(loaded):
    return tokenize_strings(loaded.tokenizer, STRINGS * 2, EncoderSettings("mean", LENGTH))


def compute(loaded, masks=None, pooling="mean", means=MEANS, cached=False, rows=None, paired=False):
    """Loss, vectors and gradients of one step of a fresh `BatchGradients`."""
    copies = [copy_of(loaded, pooling, masks, means) for _ in range(means.workers.count)]
    passes = Passes(loaded.model, copies, means, cached)
    passes.memory.most_rows = rows
    engine = BatchGradients(loaded, EncoderSettings(pooling, LENGTH), passes, paired)
    loss, vectors = engine.compute(token_ids_of(loaded), 1, loss_of)
    return loss, vectors, gradients_of(loaded.model)


def assert_same(mine, other):
    # loss, vectors and {parameter: gradient}
    torch.testing.assert_close(mine, other, rtol=1e-9, atol=1e-9)


def load(folder, dtype=torch.float64):
    loaded = load_model(str(folder))
    loaded.model.to(dtype)
    return loaded


@pytest.mark.parametrize("pooling", ["cls", "mean", "mean_padded"])
@pytest.mark.parametrize("name", ["bert", "roberta", "mpnet", "distilbert", "modernbert"])
def test_gradients_are_those_of_the_plain_step_with_the_same_masks(name, pooling, folder_of):
    """One padded pass over all strings, its masks put together by row."""
    loaded = load(folder_of(name))
    recorded = RecordedMasks()
    mine = compute(loaded, recorded, pooling)
    token_ids = token_ids_of(loaded)
    lengths = [LENGTH if pooling == "mean_padded" else len(ids) for ids in token_ids]
    parts = micro_batches.plan_parts(lengths, 4, 200, None, False)
    assert len(parts) > 1

    replayed = ReplayedMasks(recorded.drawn, {part.number: part.micro_batch for part in parts})
    plain = replace(loaded, model=copy_of(loaded, pooling, replayed).encoder)
    vectors = plain_vectors(plain, token_ids, EncoderSettings(pooling, LENGTH))
    loss = loss_of(vectors)
    loss.backward()
    assert_same(mine, (loss.detach(), vectors.detach(), gradients_of(loaded.model)))


WAYS = [{"cached": True}, {"rows": 3}, {"cached": True, "rows": 1}]


@pytest.mark.parametrize(
    ("name", "pooling", "change"),
    [
        *(("roberta", pooling, way) for pooling in ("cls", "mean_padded") for way in WAYS),
        *((name, "mean", {"cached": True, "rows": 2}) for name in ARCHITECTURES),
    ],
)
def test_the_cache_and_parts_of_any_size_change_nothing(name, pooling, change, folder_of):
    ways = ({}, change)
    plain, other = (compute(load(folder_of(name)), pooling=pooling, **way) for way in ways)
    assert_same(plain, other)


# in mixed precision threads might share weights that are cast, those of all layers of ALBERT
@pytest.mark.parametrize(
    ("name", "dtype"),
    [*dict.fromkeys(ARCHITECTURES, torch.float32).items(), ("albert", torch.bfloat16)],
)
@pytest.mark.parametrize("options", [{}, {"paired": True}, {"cached": True, "rows": 2}])
def test_workers_give_every_bit_of_what_one_thread_gives(name, dtype, options, folder_of):
    found = []
    for count in (1, 2, 3):
        loaded = load(folder_of(name), torch.float32)
        with Workers(count) as workers:
            means = replace(MEANS, dtype=dtype, workers=workers)
            found.append(compute(loaded, means=means, **options))
    torch.testing.assert_close(found[1:], found[:1] * 2, rtol=0, atol=0)


@pytest.mark.parametrize("ways", ["processor", "gpu"])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_controlled_dropout_gives_both_views_of_equal_strings_the_same_vector(
    name, ways, folder_of, request
):
    if ways == "gpu":
        request.getfixturevalue("gpu_ways")
    for options in ({"paired": True}, {"paired": True, "rows": 3}, {}):
        _, vectors, _ = compute(load(folder_of(name), torch.float32), **options)
        equal = [torch.equal(*pair) for pair in zip(vectors[:14], vectors[14:], strict=True)]
        assert all(equal) if options else not any(equal)


LACKING = [
    torch.OutOfMemoryError("CUDA out of memory"),
    RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    RuntimeError("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"),
    RuntimeError("DefaultCPUAllocator: can't allocate memory"),
]


@pytest.mark.parametrize(
    ("rows", "count", "lacking"),
    [*((1, 1, lacking) for lacking in LACKING), (3, 1, LACKING[0]), (1, 3, LACKING[0])],
)
def test_lack_of_memory_is_met_by_smaller_parts(
    rows, count, lacking, tiny_bert, monkeypatch, capsys
):
    plain, loaded, refused = compute(load(tiny_bert)), load(tiny_bert), []
    forward = type(loaded.model).forward

    def limited(self, input_ids=None, **options):
        if len(input_ids) > rows:
            refused.append(len(input_ids))
            raise lacking
        return forward(self, input_ids=input_ids, **options)

    monkeypatch.setattr(type(loaded.model), "forward", limited)
    with Workers(count) as workers:
        assert_same(plain, compute(loaded, means=replace(MEANS, workers=workers)))
    assert len(refused) >= 2
    told = capsys.readouterr().err
    assert "out of memory: continuing slice by slice (gradient cache), same results" in told
    assert "in parts of" in told


@pytest.mark.parametrize("count", [1, 3])
def test_little_memory_on_a_processor_is_met_by_the_gradient_cache(
    count, tiny_bert, monkeypatch, capsys
):
    results = []
    for megabytes in ("1e6", "1"):
        monkeypatch.setenv("STEP_MEMORY_MB", megabytes)
        with Workers(count) as workers:
            results.append(compute(load(tiny_bert), means=replace(MEANS, workers=workers)))
        told = "continuing slice by slice (gradient cache), same results" in capsys.readouterr().err
        assert told == (megabytes == "1")
    assert_same(*results)


@pytest.mark.parametrize(
    ("raised", "expected", "message"),
    [
        (torch.OutOfMemoryError("CUDA"), UserError, "with a single string; lower max_length"),
        (RuntimeError("shapes do not match"), RuntimeError, "shapes do not match"),
    ],
)
def test_what_smaller_parts_do_not_mend_fails(raised, expected, message, tiny_bert, monkeypatch):
    loaded = load(tiny_bert)

    def broken(self, **options):
        raise raised

    monkeypatch.setattr(type(loaded.model), "forward", broken)
    with pytest.raises(expected, match=message):
        compute(loaded)


def test_losses_are_spread_as_under_the_dropout_of_torch(tiny_bert):
    """Mean loss over many draws of masks: the same rate gives the same, another one does not."""
    loaded, settings = load_model(str(tiny_bert)), EncoderSettings("mean", LENGTH)
    model, token_ids = loaded.model.train(), token_ids_of(loaded)

    def ours(rate, step):
        passes = Passes(model, [TrainingCopy(model, MEANS, rate)], MEANS)
        engine = BatchGradients(loaded, settings, passes)
        return engine.compute(token_ids, step, loss_of)[0].item()

    def torchs(seed):
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.3
        torch.manual_seed(seed)
        with torch.no_grad():
            return loss_of(plain_vectors(loaded, token_ids, settings)).item()

    def deviations(first, second):
        first, second = torch.tensor(first), torch.tensor(second)
        error = (first.var() / len(first) + second.var() / len(second)).sqrt()
        return abs(first.mean() - second.mean()) / error

    expected = [torchs(seed) for seed in range(100)]
    assert deviations([ours(0.3, step) for step in range(100)], expected) < 3
    assert deviations([ours(0.1, step) for step in range(100)], expected) > 6
