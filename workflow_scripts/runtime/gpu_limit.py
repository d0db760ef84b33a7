"""A job of several processes needs a GPU for each: Snakemake would give it fewer and start it."""

import sys

from workflow_scripts.runtime.snakemake_run import SnakemakeRun


def refuse_too_few_gpus(run: SnakemakeRun, gpus: int) -> None:
    """End a run before it plans if a job of tuning wants more GPUs than a job may have.

    With a limit of 0 no job has one.
    """
    limit = run.gpu_limit
    if run.is_head and limit and gpus > limit:
        remedy = f"give --resources gpu={gpus}, with a cluster's profile `node_gpus: {gpus}`"
        limited = f"a job has {limit} GPUs at most"
        sys.exit(f"error: config: `processes.tuning`: is {gpus}, and {limited}; {remedy}")
