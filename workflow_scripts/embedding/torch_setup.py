"""How torch runs in a command: the number of threads, the device, layers drawn from a seed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from workflow_scripts.errors import UserError
from workflow_scripts.imports import calm_threads, check_threads

calm_threads()

import torch  # noqa: E402


def set_up_torch(threads: int, device: str) -> torch.device:
    """Set the number of threads and return the device; `auto` is CUDA where there is a device."""
    check_threads(threads)
    torch.set_num_threads(threads)
    if device == "cpu" or not torch.cuda.is_available():
        if device == "cuda":
            raise UserError("--device cuda", "no CUDA device here", "use --device cpu")
        return torch.device("cpu")
    set_up_cuda()
    return torch.device("cuda")


def set_up_cuda() -> None:
    """Set what CUDA's libraries read from the environment when they are first used.

    Batches of many widths would leave memory in pieces that fit no other; cuBLAS needs a workspace
    of fixed size to give the same bits again. What a user has set stays.
    """
    if not {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"} & os.environ.keys():
        os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Give torch `count` threads inside the block: the number of this thread, and of new ones."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def fresh_linear(inputs: int, outputs: int, seed: int) -> torch.nn.Linear:
    """Return a layer that `seed` draws, whatever was drawn before."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return torch.nn.Linear(inputs, outputs)


def has_bfloat16(device: torch.device) -> bool:
    """Tell whether the hardware multiplies in bfloat16; without, it can be a hundred times slower.

    Without such units PyTorch emulates them, which is not counted.
    """
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))
