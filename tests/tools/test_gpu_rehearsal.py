"""The rehearsal on a fake CUDA device counts right, and notices what it is there to notice.

The device has to come before torch, so that fake_gpu_cases.py runs in a process of its own.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tools.gpu_rehearsal.cards import CARDS, Card
from tools.gpu_rehearsal.fake_device import SOURCE, load_fake_device
from workflow_scripts.errors import UserError

needs_compiler = pytest.mark.skipif(
    shutil.which("g++") is None and os.environ.get("CI") != "true", reason="needs g++"
)
FIXED = ("weights", "gradients", "optimiser state")
MEGA = 1_000_000
# of torch's allocator
BLOCK = 512


def run_cases(project, *names):
    words = [sys.executable, "-m", "tests.tools.fake_gpu_cases", *names]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def cases(project):
    names = ["flops", "memory_by_hand", "training_by_hand", "small_model", "waiting"]
    names += ["waiting_loss", "refusal", "embedding_limits", "bounds", "lists"]
    return run_cases(project, *names)


@pytest.fixture(scope="module")
def limits(project):
    return run_cases(project, "limits")["limits"]


@pytest.fixture(scope="module")
def steps(project):
    return run_cases(project, "steps")["steps"]


@needs_compiler
def test_flops_are_those_of_torchs_own_counter(cases):
    counts = cases["flops"]
    assert counts["step"] == 2
    assert counts["torch"] == 2 * counts["flops"] > 0


@needs_compiler
def test_the_peak_is_that_of_tensors_added_up_by_hand(cases):
    memory = cases["memory_by_hand"]
    tensor = -(-4 * MEGA // BLOCK) * BLOCK
    assert memory == {
        "two": 2 * tensor,
        "three": 3 * tensor,
        "alive": 3 * tensor,
        # it keeps all that it is a view of
        "view": tensor,
        "end": 0,
    }


@needs_compiler
def test_memory_has_the_category_of_what_it_is_for(cases):
    memory = dict(cases["training_by_hand"])
    tensor = -(-4 * MEGA // BLOCK) * BLOCK
    assert memory.pop("formula") == 4 * 4 * MEGA
    # two means, and the number of steps
    expected = {"weights": tensor, "gradients": tensor, "optimiser state": 2 * tensor + BLOCK}
    assert {category: size for category, size in memory.items() if size} == expected


@needs_compiler
def test_a_small_model_has_the_operators_of_real_tensors(cases):
    """Except for dropout, clipping and reading values, which each device does in its own way."""
    fake, real = (cases["small_model"][kind] for kind in ("fake", "real"))
    own = {"native_dropout", "native_dropout_backward", "bernoulli_", "div_", "empty_like"}
    own |= {"mul", "mul_", "add_", "_local_scalar_dense"}
    own |= {"linalg_vector_norm", "_foreach_norm", "_foreach_mul_"}
    assert {"mm", "addmm", "bmm", "gelu_backward", "_softmax", "addcdiv_"} <= fake.keys() - own
    assert {k: v for k, v in fake.items() if k not in own} == {
        k: v for k, v in real.items() if k not in own
    }


@needs_compiler
def test_every_line_that_waits_for_the_device_is_noticed_and_no_other(cases):
    waiting = cases["waiting"]
    lines = range(waiting["first"], waiting["last"] + 1)
    assert waiting["places"] == [f"tests/tools/fake_gpu_cases.py:{line}" for line in lines]
    # a copy of four numbers; reading values by `item` and `tolist` is none
    assert waiting["copied"]["device to host"] == 16


@needs_compiler
def test_a_loss_that_reads_its_value_is_noticed_in_a_step(cases):
    ((place, times),) = cases["waiting_loss"].items()
    assert place.startswith("tests/tools/fake_gpu_cases.py:") and times == 1


@needs_compiler
def test_mirror_tuning_without_padding_never_waits_for_the_device(cases):
    assert cases["flops"]["synchronisations"] == {}


@needs_compiler
def test_embedding_goes_on_in_halves_where_memory_lacks(cases):
    whole, less = (cases["embedding_limits"][name] for name in ("whole", "less"))
    assert less["peak"] <= 0.5 * whole["peak"] and less["launches"] > whole["launches"]
    # a string's vector, float32
    assert less["copied"]["device to host"] == whole["copied"]["device to host"] == 300 * 64 * 4


@needs_compiler
def test_a_bound_is_arithmetic_or_traffic_whichever_takes_longer(cases):
    bounds, size = cases["bounds"], 4096
    moved = 3 * 2 * size**2
    assert bounds["product_counts"] == [2 * size**3, moved, 1]
    assert bounds["sum_counts"] == [0, moved, 1]
    assert bounds["product"] == pytest.approx([2 * size**3 / card.half for card in CARDS])
    assert bounds["sum"] == pytest.approx([moved / card.bandwidth for card in CARDS])


@needs_compiler
def test_operators_over_lists_have_the_kernels_and_bytes_of_torchs_source(cases):
    full, half, number = 3 * 4000, 3 * 2000, 4
    lists = cases["lists"]
    assert lists["add"] == [1, 3 * full]
    # one tensor after another
    assert lists["add of several types"] == [3, 2 * full + half]
    assert lists["copy of several types"] == [1, full + half]
    # gradients are read; weights, two means and numbers of steps are written too
    moved = full + 2 * (3 * full + 3 * number)
    assert lists["step"] == [1, moved]
    assert lists["step that unscales"] == [1, moved + full]
    assert lists["unscale"] == [1, 2 * full + 2 * number]


def test_float32_is_bound_by_its_own_peak():
    card = Card("card", half=100, single=10, bandwidth=1, memory=1000)
    assert card.least_seconds(1000, 20, is_half=False) == 100
    assert card.least_seconds(1000, 20, is_half=True) == 20
    assert card.usable == 900


@needs_compiler
@pytest.mark.slow
def test_a_lack_of_memory_is_rehearsed_up_to_a_step_that_fits(limits):
    whole, enough, less = (limits[name] for name in ("whole", "enough", "less"))
    assert enough == whole and whole["answers"] == []
    assert "gradient cache" in less["answers"][0] and "in parts of" in less["answers"][1]
    assert less["peak"] <= 0.6 * whole["peak"]
    # forward passes are done twice, and a backward pass is two of them
    assert less["flops"] / whole["flops"] == pytest.approx(4 / 3, rel=0.01)


@needs_compiler
def test_a_model_that_no_batch_fits_next_to_is_refused_before_the_first_step(cases):
    message, steps = cases["refusal"]
    assert "before any batch" in message and "use a smaller model" in message and steps == 0


@needs_compiler
@pytest.mark.slow
def test_what_every_step_needs_is_as_the_check_before_the_first_one_has_it(steps):
    for name, counts in steps.items():
        fixed = sum(counts["most_by_category"][category] for category in FIXED)
        # tensors are rounded up to 512 bytes, and LAMB keeps norms; cls has no use for the pooler
        assert fixed == pytest.approx(16 * counts["parameters"], rel=0.06), name


@needs_compiler
@pytest.mark.slow
def test_every_method_optimiser_and_precision_takes_a_step(steps):
    assert all(counts["step"] == 2 and counts["flops"] > 0 for counts in steps.values())
    assert steps["padded"]["synchronisations"].keys() != {}
    assert steps["half"]["operators"]["_amp_foreach_non_finite_check_and_unscale_"] == 1
    assert "_fused_adamw_" in steps["words"]["operators"]
    assert "_fused_adamw_" not in steps["lamb"]["operators"]


def test_without_a_compiler_one_line_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(UserError, match=r"g\+\+: not installed; install it"):
        load_fake_device()


def test_a_compiler_that_fails_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "g++").write_text("#!/bin/sh\necho 'a.cpp:1: error: no hooks' >&2; exit 1\n")
    (tmp_path / "g++").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(UserError, match=f"no hooks; adapt {SOURCE.name} to torch"):
        load_fake_device()
