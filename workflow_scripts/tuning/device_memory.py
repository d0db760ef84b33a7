"""Whether a GPU holds what every step of a tuning needs, whatever the batch: told before the first.

What a batch needs on top is met by smaller parts (`memory.py`).
"""

import torch

from workflow_scripts.errors import UserError

# Of each trained weight: itself, its gradient, and two running means (AdamW and LAMB alike). All
# are float32, also where products are in half precision.
COPIES = 4


def fixed_bytes(trained: torch.nn.Module) -> int:
    """Return the bytes of weights, gradients and the state of the optimiser.

    Weights that a recipe has no use for, as pooling cls of BERT's pooler, are counted as if it had.
    """
    parameters = list(trained.parameters())
    moved = sum(parameter.nbytes for parameter in parameters if parameter.requires_grad)
    return sum(parameter.nbytes for parameter in parameters) + (COPIES - 1) * moved


def check_device_memory(trained: torch.nn.Module, device: torch.device) -> None:
    """Raise `UserError` if a GPU, where the weights already are, lacks memory for their training.

    On a processor nothing is checked: its memory is shared, and asked for as it is used.
    """
    if device.type != "cuda":
        return
    needed = fixed_bytes(trained)
    weights = sum(parameter.nbytes for parameter in trained.parameters())
    # what torch has reserved and not used is free for its tensors too
    unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    available = torch.cuda.mem_get_info(device)[0] + unused + weights
    if needed > available:
        raise UserError(
            None,
            f"weights, gradients and optimiser take {needed / 1e9:.1f} GB of GPU memory before any "
            f"batch, and {available / 1e9:.1f} GB are available",
            "use a smaller model or a larger GPU; batch_size, max_length, optimiser and precision "
            "do not change this",
        )
