"""Convert pickled weights in a model's folder to model.safetensors; nothing but tensors is read."""

import re
import resource
from pathlib import Path
from typing import TYPE_CHECKING

from workflow_scripts.command_main import run_command
from workflow_scripts.downloads.model_files import (
    CONVERTED,
    PICKLE,
    PICKLE_INDEX,
    PICKLE_SHARD,
    shards_of,
)
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_file
from workflow_scripts.path_functions import command

if TYPE_CHECKING:
    import torch

# The tensors, a copy of those that share memory, what is written, and one to spare. A pickle may
# name a size that its file does not have.
_TIMES_THE_FILES, _BESIDES = 4, 2**30
_DAMAGED = "the repository is damaged"


def pickled_files(folder: Path) -> list[Path]:
    """Return the files of pickled weights of a folder, one or several; `UserError` if none."""
    if (folder / PICKLE).is_file():
        return [folder / PICKLE]
    if not (folder / PICKLE_INDEX).is_file():
        raise UserError(folder, f"has neither {PICKLE} nor {PICKLE_INDEX}", "give another folder")
    return [folder / name for name in sorted(set(_shards(folder).values()))]


def _shards(folder: Path) -> dict[str, str]:
    return shards_of(folder / PICKLE_INDEX, PICKLE_SHARD, None, _DAMAGED)


def read_tensors(path: Path) -> dict[str, "torch.Tensor"]:
    """Return the tensors of a file by name; `UserError` if it holds, or asks for, anything else."""
    import torch

    try:
        tensors = torch.load(path, map_location="cpu", weights_only=True)
    # damaged files surface as nearly any kind; the advice in torch's message is not to be taken
    except Exception as error:
        reason = " ".join(str(error).rpartition("WeightsUnpickler error:")[2].split())
        if asked := re.search(r"GLOBAL (\S+)", reason):
            raise UserError(path.name, f"it refers to {asked[1]}", "it is refused") from error
        reason = f"{type(error).__name__}: {reason}"[:200]
        raise UserError(
            path.name, f"does not contain readable tensors ({reason})", "fetch it again"
        ) from error
    if not isinstance(tensors, dict) or not tensors:
        raise UserError(path.name, "holds no tensors by name", "it is refused")
    for name, tensor in tensors.items():
        dense = isinstance(tensor, torch.Tensor) and tensor.layout is torch.strided
        if not (dense and isinstance(name, str) and tensor.is_cpu and not tensor.is_quantized):
            raise UserError(path.name, f"{name} is no dense tensor with a name", "it is refused")
    return tensors


def convert(folder: Path) -> None:
    """Write model.safetensors with all tensors, whole or not at all; names stay as they are.

    transformers reads the old names LayerNorm.gamma and beta in both forms. Tied tensors are
    written once for each name, since which of them a model looks for depends on its class.
    """
    from safetensors.torch import save_file

    tensors: dict[str, torch.Tensor] = {}
    files = pickled_files(folder)
    for path in files:
        tensors |= read_tensors(path)
    expected = tensors if (folder / PICKLE).is_file() else _shards(folder)
    if lacking := sorted(expected.keys() - tensors.keys()):
        raise UserError(PICKLE_INDEX, f"{lacking[0]} is in none of its files", _DAMAGED)
    memory: set[int] = set()
    for name, tensor in tensors.items():
        storage = tensor.untyped_storage()
        is_shared = storage.data_ptr() in memory or storage.nbytes() != tensor.nbytes
        memory.add(storage.data_ptr())
        whole = tensor.detach().contiguous()
        tensors[name] = whole.clone() if is_shared else whole
    with atomic_file(folder / CONVERTED) as temporary:
        # a mark without which transformers refuses the file
        save_file(tensors, temporary, metadata={"format": "pt"})
        # it makes files that only their owner may read
        temporary.chmod(files[0].stat().st_mode)


def _bound_memory(files: list[Path]) -> None:
    import torch  # noqa: F401  (what it takes itself is not counted)

    status = Path("/proc/self/statm")
    if status.is_file():
        there = int(status.read_text().split()[0]) * resource.getpagesize()
        more = _TIMES_THE_FILES * sum(file.stat().st_size for file in files) + _BESIDES
        resource.setrlimit(resource.RLIMIT_AS, (there + more, there + more))


def convert_weights(*, folder: Path) -> None:
    """Convert pickled weights in a model's folder to model.safetensors; only tensors are read.

    Args:
        folder: folder that holds pytorch_model.bin
    """
    _bound_memory(pickled_files(folder))
    convert(folder)


main = command(convert_weights)

if __name__ == "__main__":
    run_command(main)
