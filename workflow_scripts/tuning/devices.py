"""What training does differently on a processor and on a GPU: where randomness comes from, how a
batch is cut, and how values reach the device.

Everything else is the same code. Tests run the GPU's ways on a processor by changing `TRAITS`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class DeviceTraits:
    """How training runs on a kind of device.

    Cutting a batch: a micro-batch has at most `most_tokens` positions (on a CPU what its caches
    hold) and costs `overhead` positions on top of its own (on a GPU mostly the launches). With
    `least_tokens` it is at most a quarter of the batch or, where that is less than this, half, so
    that each core finds work; not less than half of this.

    The output layer computes at most `most_logits` bytes of logits at a time; None: those of a
    micro-batch at once, their gradient added in `blocks` of the vocabulary, the same for any number
    of workers. Gradients of the embeddings are `sparse` where a micro-batch uses few of their rows.

    `seeded_masks`: dropout takes masks that do not depend on the cut; without, the model keeps
    torch's dropout and its fused attention, and each part seeds the device's own generator.
    `half_weights`: in half precision the weights are cast once a step; without, by autocast.
    `device_lamb`: optimiser LAMB is `DeviceLamb`; without, the library's.
    """

    overhead: int
    most_tokens: int
    least_tokens: int | None
    most_logits: int | None
    blocks: int
    sparse: bool
    seeded_masks: bool
    half_weights: bool
    device_lamb: bool


TRAITS = {
    "cpu": DeviceTraits(
        overhead=64,
        most_tokens=1024,
        least_tokens=512,
        most_logits=None,
        blocks=8,
        sparse=True,
        seeded_masks=True,
        half_weights=False,
        device_lamb=False,
    ),
    "cuda": DeviceTraits(
        overhead=2048,
        most_tokens=65536,
        least_tokens=None,
        most_logits=2**32,
        blocks=1,
        sparse=False,
        seeded_masks=False,
        half_weights=True,
        device_lamb=True,
    ),
}


def traits_of(device: torch.device) -> DeviceTraits:
    return TRAITS.get(device.type, TRAITS["cuda"])


def to_device(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Copy a tensor of the host to the device, which nothing waits for.

    Only copies from pinned memory are asynchronous; torch keeps that memory until they are done.
    """
    if device.type == "cuda":
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


@contextmanager
def fixed_order_of_sums(device: torch.device) -> Iterator[None]:
    """Let a GPU take kernels that give the same bits again inside the block.

    The backward pass of fused attention, for one, adds up in any order unless asked not to.
    """
    if device.type != "cuda":
        yield
        return
    own = torch.utils.deterministic
    before = torch.are_deterministic_algorithms_enabled(), own.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    # it would fill each new tensor
    own.fill_uninitialized_memory = False
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0])
        own.fill_uninitialized_memory = before[1]
