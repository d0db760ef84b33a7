"""The library that makes a CPU build of torch believe in a CUDA device. Imports no torch itself."""

import ctypes
import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from workflow_scripts.errors import UserError

SOURCE = Path(__file__).with_name("fake_device.cpp")


def load_fake_device() -> None:
    """Build the library, once for each version of torch, and load it; torch must come after it.

    Raises `UserError` without g++, or where torch is built for CUDA.
    """
    if "torch" in sys.modules:
        raise RuntimeError("torch has looked for CUDA devices already")
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise UserError("torch", "not installed", "run make environment")
    folder = Path(spec.origin).parent
    if (folder / "lib" / "libtorch_cuda.so").exists():
        remedy = (
            "install torch without CUDA in another environment (docs/howto/run-on-a-cluster.md)"
        )
        raise UserError("torch", "a build for CUDA, which has devices of its own", remedy)
    library = _build(folder)
    # its symbols are those that the library leaves open
    ctypes.CDLL(str(folder / "lib" / "libtorch_cpu.so"), ctypes.RTLD_GLOBAL)
    ctypes.CDLL(str(library))


def _build(torch_folder: Path) -> Path:
    """Return the library, built from `SOURCE` where it is not there yet."""
    version = importlib.metadata.version("torch")
    key = hashlib.sha256(SOURCE.read_bytes() + str(torch_folder).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"mirror-bert-fake-device-{os.getuid()}"
    library = folder / f"torch-{version}-{key}.so"
    if library.exists():
        return library
    if shutil.which("g++") is None:
        raise UserError("g++", "not installed", "install it: the fake CUDA device is C++")
    folder.mkdir(mode=0o700, exist_ok=True)
    includes = [torch_folder / "include", torch_folder / "include/torch/csrc/api/include"]
    # renamed when it is whole, since another rehearsal may look for it
    new = library.with_suffix(f".{os.getpid()}.new")
    command = ["g++", "-std=c++20", "-O0", "-fPIC", "-shared", str(SOURCE), "-o", str(new)]
    command += [f"-I{include}" for include in includes]
    command += [f"-L{torch_folder / 'lib'}", "-lc10", "-ltorch_cpu"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or [done.stderr]
        raise UserError("g++", errors[0].strip(), f"adapt {SOURCE.name} to torch {version}")
    new.rename(library)
    return library
