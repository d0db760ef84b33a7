"""What training does on a GPU alone, here on a processor: `TRAITS` of a GPU for it.

Dropout and attention of torch with the default generator, weights in half precision, logits in
parts. Against plain passes with the same generator, and against the processor's ways.
"""

import hashlib
from dataclasses import replace

import pytest
import torch
from plain_training import GPU_TRAITS, assert_same_steps, gpu_ways, gradients_of, take_first_step
from test_baselines import NSP, baseline
from test_batch_gradients import LENGTH, MEANS, compute, load, loss_of, token_ids_of
from tiny_architectures import ARCHITECTURES
from tiny_models import RECIPE, make_sentences
from transformers import AutoModel

from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.torch_setup import set_up_cuda
from workflow_scripts.tuning import devices
from workflow_scripts.tuning.batch_gradients import BatchGradients
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.devices import fixed_order_of_sums
from workflow_scripts.tuning.loop import tune_model
from workflow_scripts.tuning.micro_batches import cut_batch
from workflow_scripts.tuning.passes import Passes
from workflow_scripts.tuning.plain_step import plain_vectors
from workflow_scripts.tuning.recipe import tuning_recipe_of
from workflow_scripts.tuning.training_copy import TrainingCopy

__all__ = ["gpu_ways"]
GPU = torch.device("cuda")


def seed_as_documented(step, number, start=0):
    """The seed of a pass: of the run, the step, the micro-batch and the first row of the part."""
    key = hashlib.blake2b(f"33 {step} {number} {start}".encode(), digest_size=8).digest()
    torch.manual_seed(int.from_bytes(key, "big") // 2)


@pytest.mark.parametrize("pooling", ["cls", "mean"])
@pytest.mark.parametrize("name", ["bert", "roberta", "distilbert", "modernbert"])
def test_gradients_are_those_of_plain_passes_with_the_same_generator(
    name, pooling, folder_of, gpu_ways
):
    """Torch's dropout and attention in the model itself, one padded pass for each micro-batch."""
    loaded = load(folder_of(name))
    token_ids = token_ids_of(loaded)
    parts = cut_batch([len(ids) for ids in token_ids], torch.device("cpu"), None)
    assert len(parts) > 2
    copy = TrainingCopy(loaded.model, MEANS, 0.2)
    passes = Passes(loaded.model, [copy], MEANS)
    engine = BatchGradients(loaded, EncoderSettings(pooling, LENGTH), passes)
    loss, vectors = engine.compute(token_ids, 7, loss_of)
    mine = (loss, vectors, gradients_of(loaded.model))

    rates = ["hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout"]
    rates += ["embedding_dropout", "mlp_dropout"]
    options = dict.fromkeys([rate for rate in rates if hasattr(loaded.model.config, rate)], 0.2)
    model = AutoModel.from_pretrained(folder_of(name), dtype=torch.float64, **options).train()
    plain = replace(loaded, model=model)
    joined = torch.zeros(len(token_ids), model.config.hidden_size, dtype=torch.float64)
    for part in parts:
        seed_as_documented(7, part.number)
        own = [token_ids[row] for row in part.rows]
        settings = EncoderSettings(pooling, part.micro_batch.width)
        joined = joined.index_copy(0, torch.tensor(part.rows), plain_vectors(plain, own, settings))
    expected = loss_of(joined)
    expected.backward()
    plainly = (expected.detach(), joined.detach(), gradients_of(model))
    torch.testing.assert_close(mine, plainly, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_the_gradient_cache_sees_the_same_dropout_in_both_passes(name, folder_of, gpu_ways):
    """Dropout and drophead: other masks in the second pass would give other gradients."""
    once, twice = (compute(load(folder_of(name)), cached=cached) for cached in (False, True))
    torch.testing.assert_close(once, twice, rtol=1e-9, atol=1e-9)
    with pytest.raises(AssertionError):
        other = compute(load(folder_of(name)), rows=3)
        torch.testing.assert_close(once, other, rtol=1e-3, atol=1e-3)


CASES = [("mlm", {}), ("mlm", NSP), ("quickthought", {}), ("bitext", {}), ("nli", {})]
CASES += [("classify", {}), ("simcse", {}), ("tsdae", {})]
CASES += [("cmlm", {"projections": 3}), ("cmlm", {"inputs": "packed"})]
CASES += [("cmlm", {"conditioning": "skip", "vector_position": "after", "pooling": "cls"})]
CASES += [("cmlm", {"bitext": {"corpus": "bitext", "batch_size": 5}, "pooling": "max"})]


@pytest.mark.parametrize(("method", "changes"), CASES)
def test_without_dropout_a_step_is_that_of_a_processor(method, changes, tiny_bert, monkeypatch):
    monkeypatch.setitem(devices.TRAITS, "cpu", replace(devices.TRAITS["cpu"], most_tokens=60))
    expected = take_first_step(baseline(method, tiny_bert, **changes)[1])
    monkeypatch.setitem(devices.TRAITS, "cpu", GPU_TRAITS)
    mine = take_first_step(baseline(method, tiny_bert, **changes)[1])
    assert_same_steps(mine, expected)


def angle(mine, exact):
    """Sine of the angle between two gradients of all parameters."""
    assert mine.keys() == exact.keys()
    ours, theirs = (
        torch.cat([own[name].double().flatten() for name in exact]) for own in (mine, exact)
    )
    return (1 - torch.cosine_similarity(ours, theirs, dim=0) ** 2).clamp(min=0).sqrt().item()


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_half_weights_come_about_as_near_to_float32_as_autocast(name, folder_of, monkeypatch):
    half = replace(MEANS, dtype=torch.bfloat16)

    def gradients(means, **traits):
        monkeypatch.setitem(devices.TRAITS, "cpu", replace(GPU_TRAITS, **traits))
        loaded = load(folder_of(name), torch.float32)
        copy = TrainingCopy(loaded.model, means, 0.0)
        passes = Passes(loaded.model, [copy], means)
        engine = BatchGradients(loaded, EncoderSettings("mean", LENGTH), passes)
        _, vectors = engine.compute(token_ids_of(loaded)[:14], 1, lambda own: own[:, 0].sum())
        assert vectors.dtype == torch.float32
        found = gradients_of(loaded.model)
        assert all(own.dtype == torch.float32 for own in found.values())
        return found

    exact, found = gradients(MEANS), gradients(half)
    # DeBERTa does not run under autocast: it masks with a number that bfloat16 lacks
    cast = gradients(half, half_weights=False) if name != "deberta" else None
    limit = 0.03 if cast is None else 2 * angle(cast, exact)
    assert 0 < angle(found, exact) < limit


@pytest.mark.parametrize("method", ["cmlm", "mlm", "tsdae"])
def test_half_weights_of_masked_passes_come_near(method, tiny_bert, gpu_ways):
    (exact, by_exact), (mine, by_mine) = (
        take_first_step(baseline(method, tiny_bert, torch.float32, replace(MEANS, dtype=dtype))[1])
        for dtype in (torch.float32, torch.bfloat16)
    )
    assert 0 < abs(mine.measures["loss"] / exact.measures["loss"] - 1) < 0.01
    assert 0 < angle(by_mine, by_exact) < 0.1


def test_half_weights_follow_the_weights_and_a_failed_pass_leaves_no_gradient(
    tiny_bert, gpu_ways, monkeypatch
):
    loaded = load(tiny_bert, torch.float32)
    copy = TrainingCopy(loaded.model, replace(MEANS, dtype=torch.bfloat16), 0.0)
    assert copy.half is not None
    (weight, own) = (
        model.embeddings.word_embeddings.weight for model in (loaded.model, copy.encoder)
    )
    assert own.dtype == torch.bfloat16 and weight.dtype == torch.float32
    for step in (1, 2):
        with torch.no_grad():
            weight += 1.0
        assert not torch.equal(own, weight.bfloat16())
        copy.half.refresh(step)
        assert torch.equal(own, weight.bfloat16())
    for expected in (1.0, 2.0):
        own.grad = torch.ones_like(own)
        copy.half.move_gradients()
        assert own.grad is None
        assert weight.grad.dtype == torch.float32 and bool((weight.grad == expected).all())

    passes = Passes(loaded.model, [copy], replace(MEANS, dtype=torch.bfloat16))
    with pytest.raises(RuntimeError):
        passes.gradients(own.sum() + Failing.apply(own).sum())
    assert own.grad is None


class Failing(torch.autograd.Function):
    """Fails on its way back."""

    @staticmethod
    def forward(ctx, values):
        return values.clone()

    @staticmethod
    def backward(ctx, gradient):
        raise torch.OutOfMemoryError("CUDA out of memory")


def tuned(folder, **changes):
    loaded, recipe = load_model(str(folder)), tuning_recipe_of("own", {**RECIPE, **changes})
    summary = tune_model(loaded, Corpus(make_sentences(24)), recipe, 33)
    return loaded.model.state_dict(), summary


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("optimiser", ["adamw", "lamb"])
def test_the_same_seed_gives_the_same_weights(
    precision, optimiser, tiny_bert, gpu_ways, one_thread
):
    torch.manual_seed(1)
    weights, summary = tuned(tiny_bert, precision=precision, optimiser=optimiser)
    torch.manual_seed(2)
    again, _ = tuned(tiny_bert, precision=precision, optimiser=optimiser)
    torch.testing.assert_close(again, weights, rtol=0, atol=0)
    assert all(weight.dtype == torch.float32 for weight in weights.values())
    assert "masks_changed_at" not in summary.as_record()


@pytest.mark.parametrize("ways", ["gpu", "processor"])
def test_the_record_says_from_which_step_on_a_lack_of_memory_changed_masks(
    ways, tiny_bert, monkeypatch, capsys, one_thread
):
    if ways == "gpu":
        monkeypatch.setitem(devices.TRAITS, "cpu", GPU_TRAITS)
    start = TrainingCopy.start

    def limited(self, part, step, number):
        # the first step fits
        if part.stop - part.start > 1 and step > 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        start(self, part, step, number)

    monkeypatch.setattr(TrainingCopy, "start", limited)
    _, summary = tuned(tiny_bert)
    told = capsys.readouterr().err
    assert "gradient cache), same results" in told
    if ways == "gpu":
        assert "strings or fewer, other dropout masks" in told
        assert summary.as_record()["masks_changed_at"] == 2
    else:
        assert "strings or fewer, same results" in told
        assert "masks_changed_at" not in summary.as_record()


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_compiler_takes_the_model_in_one_graph(dtype, padded, tiny_bert, gpu_ways):
    copy = TrainingCopy(load_model(str(tiny_bert)).model, replace(MEANS, dtype=dtype), 0.1)
    ids = torch.tensor([[2, 7, 8, 9, 3], [2, 9, 3, 0, 0]])
    mask = (ids > 0).long() if padded else None
    torch._dynamo.reset()
    report = torch._dynamo.explain(copy.encoder)(input_ids=ids, attention_mask=mask)
    assert (report.graph_count, report.graph_break_count) == (1, 0)


def test_a_batch_is_cut_as_few_as_saturate_a_gpu():
    assert len(cut_batch([25] * 400, GPU, None)) == 1
    # lengths from 3 to 25: two micro-batches have a fifth fewer positions
    assert len(cut_batch([3 + row % 23 for row in range(400)], GPU, None)) == 2
    # 524,288 positions, at most 65,536 each
    assert [part.positions for part in cut_batch([256] * 2048, GPU, None)] == [65536] * 8


def test_sums_have_a_fixed_order_on_a_gpu_while_it_trains():
    before = torch.utils.deterministic.fill_uninitialized_memory
    assert not torch.are_deterministic_algorithms_enabled()
    with fixed_order_of_sums(GPU):
        assert torch.are_deterministic_algorithms_enabled()
        assert not torch.utils.deterministic.fill_uninitialized_memory
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.utils.deterministic.fill_uninitialized_memory == before
    with fixed_order_of_sums(torch.device("cpu")):
        assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize("name", ["PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"])
def test_what_a_user_has_set_of_cuda_stays(name, monkeypatch):
    names = ["PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "CUBLAS_WORKSPACE_CONFIG"]
    environment = {}
    monkeypatch.setattr("os.environ", environment)
    set_up_cuda()
    assert environment == {names[0]: "expandable_segments:True", names[2]: ":4096:8"}
    environment.clear()
    environment |= {name: "max_split_size_mb:64", names[2]: ":16:8"}
    set_up_cuda()
    assert environment == {name: "max_split_size_mb:64", names[2]: ":16:8"}
