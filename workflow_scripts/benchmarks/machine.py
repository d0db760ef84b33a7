"""What was measured on: processor, memory and versions, without names of hosts and folders."""

import datetime
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    "torch",
    "transformers",
    "sentence-transformers",
    "pytorch-metric-learning",
    "tokenizers",
    "accelerate",
    "onnxruntime",
)


def describe_machine() -> dict[str, str]:
    """Return {what: value} of the machine and its packages, and the date."""
    about = {
        "date": datetime.date.today().isoformat(),
        "processor": _processor(),
        "cores": str(os.cpu_count() or "unknown"),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": platform.system(),
        "Python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            about[package] = version(package)
        except PackageNotFoundError:
            continue
    return about


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
