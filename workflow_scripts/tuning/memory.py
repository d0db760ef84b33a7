"""How much memory a tuning may take on a processor, where a system kills it and does not say no."""

import os
from pathlib import Path

import psutil

# The rules tell their jobs, in MB, what they have asked for.
SETTING = "STEP_MEMORY_MB"


def resident_memory() -> int:
    """Return the bytes of memory that this process has."""
    return psutil.Process().memory_info().rss


def memory_limit(root: Path = Path("/sys/fs/cgroup"), groups: str = "/proc/self/cgroup") -> int:
    """Return the bytes that this process may have: of its job, its control group or the machine."""
    if told := os.environ.get(SETTING):
        return int(float(told) * 1e6)
    limits = [psutil.virtual_memory().available + resident_memory()]
    try:
        group = root / Path(groups).read_text().rpartition("::")[2].strip().lstrip("/")
    except OSError:
        return limits[0]  # no Linux
    for folder in (group, *group.parents):
        file = folder / "memory.max"
        if file.is_file() and (text := file.read_text().strip()).isdecimal():
            limits.append(int(text))
    return min(limits)
