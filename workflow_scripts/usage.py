"""Time and memory of a step, which it writes itself as it ends: whole, however short it was.

Snakemake's own benchmark looks at a job's processes every half second and later every 30 s, and a
step of the warm Python is not among them. The columns are its.
"""

import datetime
import resource
import sys
import time

from workflow_scripts.files import atomic_file

# of ru_maxrss, in MB, and of a block of ru_inblock
_MEMORY_UNIT = 2**20 if sys.platform == "darwin" else 2**10
_BLOCKS_IN_MB = 2**11


def write_usage(path: str, started: float) -> None:
    """Write a row of tsv: seconds since `started`, MB, processor seconds (children's as well).

    max_rss is the largest resident memory of a single process; in a warm Python that holds what
    its packages take too, although all steps share it.
    """
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = time.time() - started
    processor = sum(one.ru_utime + one.ru_stime for one in usages)
    row = {
        "s": f"{seconds:.4f}",
        "h:m:s": str(datetime.timedelta(seconds=round(seconds))),
        "max_rss": f"{max(one.ru_maxrss for one in usages) / _MEMORY_UNIT:.2f}",
        "io_in": f"{sum(one.ru_inblock for one in usages) / _BLOCKS_IN_MB:.2f}",
        "io_out": f"{sum(one.ru_oublock for one in usages) / _BLOCKS_IN_MB:.2f}",
        "mean_load": f"{100 * processor / seconds:.2f}",
        "cpu_time": f"{processor:.2f}",
    }
    with atomic_file(path) as temporary:
        temporary.write_text("\t".join(row) + "\n" + "\t".join(row.values()) + "\n")
