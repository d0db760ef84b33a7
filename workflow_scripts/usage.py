"""What a job writes of itself: versions and seed as it begins, time and memory as it ends.

Snakemake's own benchmark looks at a job's processes every half second and later every 30 s, and a
step of the fork server is not among them. The first columns are its; the others say where and with
what the step ran, which is of the job, not of the page that shows it.
"""

import datetime
import json
import os
import platform
import re
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from workflow_scripts.files import atomic_file

# of the environment, for the steps of a run: {"command": [...], "started": seconds, "commit": ...,
# "environment": sys.prefix, "versions": [...]}
STARTED = "WORKFLOW_STARTED"
# packages whose version can move a score, by the module that holds it
PACKAGES = {
    **{"torch": "torch", "transformers": "transformers", "tokenizers": "tokenizers"},
    **{"sentence_transformers": "sentence-transformers", "numpy": "numpy", "scipy": "scipy"},
    **{"sklearn": "scikit-learn", "faiss": "faiss-cpu"},
}
# those whose versions a log begins with, the project first
_NAMED = ("mirror-bert", *PACKAGES.values(), "snakemake")
# of ru_maxrss, in MB, and of a block of ru_inblock
_MEMORY_UNIT = 2**20 if sys.platform == "darwin" else 2**10
_BLOCKS_IN_MB = 2**11


def machine() -> dict[str, str]:
    """Return {what: value} of the machine, without its name."""
    information = Path("/proc/cpuinfo")
    text = information.read_text(errors="replace") if information.is_file() else ""
    name = re.search(r"^model name\s*:\s*(.*\S)", text, re.MULTILINE)
    return {
        "processor": name[1] if name else platform.processor() or platform.machine(),
        "cores": str(os.cpu_count() or "unknown"),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": platform.system(),
    }


def machine_text() -> str:
    """Return the machine on a line, with the GPU where this process used one."""
    about = machine()
    text = f"{about['processor']}, {about['cores']} cores, {about['memory']}, {about['system']}"
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        text += f", {torch.cuda.get_device_name()}"
    return " ".join(text.split())


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that this process has imported."""
    imported = ((name, sys.modules.get(module)) for module, name in PACKAGES.items())
    known = ((name, getattr(module, "__version__", None)) for name, module in imported)
    packages = {name: str(version) for name, version in known if version is not None}
    return {"python": platform.python_version(), **packages}


def installed_versions() -> list[str]:
    """Return Python, the project and the packages of this environment with their versions.

    Nothing is imported for them. `note_start` hands them on to the steps of a run.
    """
    from importlib.metadata import PackageNotFoundError, version

    versions = [f"python {platform.python_version()}"]
    for name in _NAMED:
        with suppress(PackageNotFoundError):
            versions.append(f"{name} {version(name)}")
    return versions


def log_head(seed: object = None) -> str:
    """Return the lines that follow the command in the log of a job: versions, and the seed.

    Versions are those of the environment that the step runs in. The lines are comments of a shell,
    so that the whole head of a log can be pasted.
    """
    about = started()
    known = about.get("environment") == sys.prefix
    versions = about["versions"] if known else installed_versions()
    commit = f", commit {about['commit']}" if about.get("commit") else ""
    lines = [", ".join(versions) + commit] + ([] if seed is None else [f"seed {seed}"])
    return "".join(f"# {line}\n" for line in lines)


def usage_file() -> str | None:
    """Return where a job's usage is written; None outside a job and in its other processes."""
    is_first = os.environ.get("RANK", "0") == "0"
    return (os.environ.get("STEP_USAGE") or None) if is_first else None


def started() -> dict[str, Any]:
    """Return what the head process of a run handed on; {} of a step that runs by itself."""
    return json.loads(os.environ.get(STARTED) or "{}")


def write_usage(path: str, began: float) -> None:
    """Write a row of tsv: seconds since `began`, MB, processor seconds (children's as well).

    max_rss is the largest resident memory of a single process; in the fork server that holds what
    its packages take too, although all steps share it.
    """
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = time.time() - began
    processor = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    row = {
        "s": f"{seconds:.4f}",
        "h:m:s": str(datetime.timedelta(seconds=round(seconds))),
        "max_rss": f"{max(usage.ru_maxrss for usage in usages) / _MEMORY_UNIT:.2f}",
        "io_in": f"{sum(usage.ru_inblock for usage in usages) / _BLOCKS_IN_MB:.2f}",
        "io_out": f"{sum(usage.ru_oublock for usage in usages) / _BLOCKS_IN_MB:.2f}",
        "mean_load": f"{100 * processor / seconds:.2f}",
        "cpu_time": f"{processor:.2f}",
        "machine": machine_text(),
        "commit": str(started().get("commit", "")),
        "versions": ", ".join(f"{name} {number}" for name, number in versions().items()),
    }
    with atomic_file(path) as temporary:
        temporary.write_text("\t".join(row) + "\n" + "\t".join(row.values()) + "\n")
