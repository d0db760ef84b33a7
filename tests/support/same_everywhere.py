"""What would make tests depend on who runs them, and how long one may take."""

import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from subprocess import Popen
from typing import Any

from hypothesis import HealthCheck, settings

# what a caller may have exported that our commands, their libraries, git or bash read
_OF_THE_CALLER = (
    *("ACCELERATE_", "CLICOLOR", "CUDA_DEVICE_ORDER", "FORCE_COLOR", "GIT_", "GOMP_", "GOTO_"),
    *("HF_", "HUGGINGFACE_", "JOB_ID", "KMP_", "LANGUAGE", "LC_", "LOCAL_RANK", "LSB_"),
    *("MASTER_", "MKL_", "MPL", "NO_COLOR", "NUMEXPR_", "OMP_", "OPENBLAS_", "PBS_"),
    *("PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONOPTIMIZE", "PYTHONUTF8", "PYTHONWARNINGS"),
    *("PYTORCH_", "RANK", "SGE_", "SLURM_", "SNAKEMAKE_", "SOURCE_DATE_EPOCH", "STEP_"),
    *("TOKENIZERS_", "TORCH", "TRANSFORMERS_", "VECLIB_", "FORK_SERVER", "WORLD_SIZE"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
)
_OURS = {"COLUMNS": "80", "HF_HUB_OFFLINE": "1", "LANG": "C.UTF-8", "TZ": "UTC"}
# as `calm_threads` of commands: pytest's processes share the processors
_OURS |= {"GOMP_SPINCOUNT": "2000"}
# of a test, on a machine that does much else
_SECONDS = 1200


def clean_environment() -> None:
    """Give all tests, and what they start, one environment: before any library reads it."""
    for name in [name for name in os.environ if name.startswith(_OF_THE_CALLER)]:
        del os.environ[name]
    os.environ.update(_OURS)
    time.tzset()
    os.umask(0o022)


def make_repeatable() -> None:
    """Let hypothesis draw the same examples in each run, and measure no time.

    Other ones in each run: `pytest --hypothesis-profile random`.
    """
    common: dict[str, Any] = {"deadline": None, "print_blob": True}
    common |= {"suppress_health_check": [HealthCheck.too_slow]}
    settings.register_profile("same", derandomize=True, **common)
    settings.register_profile("random", **common)
    settings.load_profile("same")


def seed_all() -> None:
    """Seed the generators that a test may draw from without a seed of its own."""
    random.seed(33)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(33)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(33)


@contextmanager
def bounded(name: str) -> Iterator[None]:
    """Let a test that hangs fail, wherever it waits."""

    def give_up(*_: object) -> None:
        raise TimeoutError(f"{name}: not over after {_SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def wait_for(
    happens: Callable[[], Any], while_runs: Popen | None = None, seconds: float = 120
) -> Any:
    """Return the first true value of a function; it comes while a process runs, if one is given."""
    end = time.monotonic() + seconds
    while not (value := happens()):
        assert while_runs is None or while_runs.poll() is None, "the process ended before"
        assert time.monotonic() < end, f"it did not happen in {seconds} s"
        time.sleep(0.01)
    return value
