"""Blocks of config as canonical JSON: the only form in which config reaches a rule."""

import json
from typing import Any


def canonical(block: Any) -> str:
    """Return `block` as JSON with sorted keys and no spaces.

    Snakemake keeps the params of a job as a set of values without keys, so two equal-typed values
    that swap places would go unseen and a reordered dict would rerun; one canonical string does
    neither.
    """
    return json.dumps(block, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
