"""What several processes, and float16, make of gradients before a step of the optimiser."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import accelerate.utils
import plain_descent
import pytest
import torch
from safetensors.torch import load_file

from workflow_scripts.tuning import loop
from workflow_scripts.tuning.processes import Processes, _buckets


@pytest.fixture
def three_processes(monkeypatch):
    """Processes of which this is one of three that hold the same."""

    def reduce(tensor, reduction="mean"):
        return tensor * {"sum": 3, "mean": 1}[reduction]

    monkeypatch.setattr(accelerate.utils, "reduce", reduce)
    processes = Processes()
    processes._state, processes.count = object(), 3
    return processes


def test_gradients_are_summed_over_processes(three_processes):
    used, unused = (torch.nn.Parameter(torch.zeros(2)) for _ in range(2))
    used.grad = torch.tensor([1.0, -2.0])
    three_processes.sum_gradients([used, unused])
    assert used.grad.tolist() == [3.0, -6.0]
    assert unused.grad is None


def test_a_gradient_that_no_process_had_in_the_first_step_is_refused(three_processes):
    used, unused = (torch.nn.Parameter(torch.zeros(2)) for _ in range(2))
    used.grad = torch.ones(2)
    three_processes.sum_gradients([used, unused])
    # a process without a part has none, and takes part in the sum
    used.grad = None
    three_processes.sum_gradients([used, unused])
    assert used.grad.tolist() == [0.0, 0.0]
    unused.grad = torch.ones(2)
    with pytest.raises(RuntimeError, match="had none in the first step"):
        three_processes.sum_gradients([used, unused])


def test_buckets_hold_tensors_of_one_type_up_to_a_size(monkeypatch):
    monkeypatch.setattr("workflow_scripts.tuning.processes._BUCKET", 24)
    tensors = [torch.zeros(size) for size in (2, 4, 1, 9, 3)]
    tensors.insert(1, torch.zeros(2, dtype=torch.float64))
    buckets = [[one.numel() * one.itemsize for one in bucket] for bucket in _buckets(tensors)]
    assert sorted(buckets) == [[4], [8, 16], [12], [16], [36]]


def test_two_processes_take_the_steps_of_one(tiny_bert, tmp_path, one_thread):
    """Plain gradient descent over gloo, with gradients clipped or not."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    common |= {"OMP_NUM_THREADS": "1", "LOCAL_WORLD_SIZE": "2", "ACCELERATE_USE_CPU": "1"}
    paths = [str(path) for path in sys.path if path] + [str(Path(plain_descent.__file__).parent)]
    common |= {"PYTHONPATH": os.pathsep.join(paths)}
    argv = [sys.executable, plain_descent.__file__, str(tiny_bert), str(tmp_path / "weights")]
    running = [
        subprocess.Popen(argv, env={**os.environ, **common, "RANK": rank, "LOCAL_RANK": rank})
        for rank in ("0", "1")
    ]
    expected, _ = plain_descent.descend(tiny_bert)
    assert [process.wait(120) for process in running] == [0, 0]
    found = load_file(tmp_path / "weights")
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1024.0])
def test_clipping_is_of_gradients_without_the_scale_of_float16(scale):
    """The weights move by the learning rate times a gradient of norm 0.5, whatever the scale."""
    layer = torch.nn.Linear(2, 1, bias=False)
    torch.nn.init.zeros_(layer.weight)
    optimiser = torch.optim.SGD(layer.parameters(), lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=scale)
    scaler.scale(layer(torch.tensor([[3.0, 4.0]])).sum()).backward()
    loop._join((layer, optimiser, scaler), 0.5, Processes())
    scaler.step(optimiser)
    assert layer.weight.tolist()[0] == pytest.approx([-0.3, -0.4], rel=1e-4)
