"""What the checks ran on: goes into the report."""

import subprocess

import pytest
import torch
from device_runs import MIB, ON_GPU

from benchmarks.measurements import describe_machine
from workflow_scripts.tuning.loop import settle_precision

pytestmark = pytest.mark.gpu
QUERY = "--query-gpu=index,name,driver_version,memory.total,power.limit,clocks.max.sm"


def test_machine_and_packages(record_property):
    for name, value in describe_machine().items():
        record_property(name, value)
    record_property("torch, CUDA", torch.version.cuda)
    record_property("torch, cuDNN", torch.backends.cudnn.version())


def test_devices(record_property):
    for number in range(torch.cuda.device_count() if ON_GPU else 0):
        about = torch.cuda.get_device_properties(number)
        text = f"{about.name}, {about.total_memory // MIB} MiB, {about.major}.{about.minor}"
        record_property(f"device {number}", text)
    try:
        listing = subprocess.check_output(["nvidia-smi", QUERY, "--format=csv"], text=True)
    except OSError:
        listing = "no nvidia-smi"
    for line in listing.splitlines():
        record_property("nvidia-smi", line)


def test_the_precision_that_auto_chooses(device, record_property):
    chosen = settle_precision("auto", torch.device(device))
    record_property("precision", str(chosen))
    assert chosen in ((torch.bfloat16, torch.float16) if ON_GPU else (torch.float32,))
