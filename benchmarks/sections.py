"""What a benchmark is: a workload of a section, and the names of the ways that take turns at it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.settings import Settings

PLAIN, TRAINER, BEST = "plain", "sentence-transformers", "sentence-transformers-best"
FAISS, SEARCH = "faiss", "mirror-search"
OURS, OURS_ONNX, OURS_INT8 = "mirror", "mirror-onnx", "mirror-int8"
RATE, ONE = "strings_per_second", "one-thread"

# What to say about a workload, and what gives the job of a (way, run).
Prepared = tuple[dict[str, Any], Callable[[str, int], dict[str, Any]]]


@dataclass(frozen=True)
class Section:
    """A kind of work, its ways {id: label}; `shown` is the measure printed while it runs."""

    name: str
    ways: Mapping[str, str]
    prepare: Callable[["Workload", Settings, Path], Prepared]
    shown: str
    fewest_runs: int = 1


@dataclass(frozen=True)
class Workload:
    section: Section
    task: str
    recipe: str | None
