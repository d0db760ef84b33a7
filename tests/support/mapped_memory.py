"""How many bytes of mapped files count as this process's memory (Linux)."""

import re
from pathlib import Path


def mapped_bytes() -> int:
    status = Path("/proc/self/status").read_text()
    kinds = re.findall(r"^(?:RssFile|RssShmem):\s+(\d+) kB", status, re.MULTILINE)
    return 1024 * sum(map(int, kinds))
