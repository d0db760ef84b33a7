"""What snakemake-executor-plugin-slurm 2.8.0 gets wrong about the states of jobs, fixed.

Seen on a real SLURM (22.05), each with a test in tests/cluster:

- `sacct` calls a cancelled job "CANCELLED by 0" (a user's number); the plugin knows only
  "CANCELLED" and waits for such a job for ever.
- It asks `sacct` for raw job ids. Those of a job array's tasks are numbers of their own, and the
  last task's is the array's; so every task is taken to be in the state of the last one.
- Of jobs that are to go into an array it drops a part, never to run, where the scheduler could not
  start all that are ready at once (upstream issue 473).
"""

from importlib.metadata import PackageNotFoundError, version
from typing import Any

PATCHED_VERSION = "2.8.0"


def patch_slurm_plugin() -> None:
    """Fix the plugin in this process, if it is there and of the version above."""
    try:
        if version("snakemake-executor-plugin-slurm") != PATCHED_VERSION:
            return
    except PackageNotFoundError:
        return
    import snakemake_executor_plugin_slurm as plugin

    if hasattr(plugin, "patched"):
        return
    ask_states, ask_sacct = plugin.query_job_status, plugin.query_job_status_sacct

    async def query_job_status(command: str, logger: Any) -> tuple[Any, Any]:
        states, seconds = await ask_states(command, logger)
        # of "CANCELLED by 0" and "CANCELLED+" the state itself
        words = {job: (state.split() or [state])[0] for job, state in (states or {}).items()}
        return states and {job: word.rstrip("+") for job, word in words.items()}, seconds

    plugin.query_job_status = query_job_status
    plugin.query_job_status_sacct = lambda run: ask_sacct(run).replace("JobIdRaw", "JobID")
    # no jobs to wait for: those that are ready now are submitted now
    plugin.pending_jobs_for_rule = lambda dag, rule: 0
    plugin.patched = True
