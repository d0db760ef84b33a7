"""Paths that are not those of this run's results: one line instead of what Snakemake says."""

import os
import sys

from workflow_scripts.runtime.snakemake_run import SnakemakeRun

_USUAL = "results"


def refuse_targets_elsewhere(run: SnakemakeRun, results: str) -> None:
    """End a run that is asked for a result by another path than its rules make it at.

    That is one in `results/` where the config has another folder, or one that begins otherwise than
    `results` in the config. Snakemake would say that no rule makes it.
    """
    # in a workflow that imports this one they may be its own
    for target in () if run.is_module else sorted(run.targets):
        own = _result_path(target, results)
        if own is not None and own != os.path.normpath(target):
            where = f"`results` in the config is {results}"
            sys.exit(f"error: {target}: {where}; ask for {own}")


def _result_path(target: str, results: str) -> str | None:
    """Return how rules name the result that a target means; None for another target."""
    for folder in (results, _USUAL):
        below = os.path.relpath(target, folder)
        if below != os.curdir and below.split(os.sep)[0] != os.pardir:
            return os.path.join(results, below)
    return None


def refuse_other_paths(run: SnakemakeRun, results: str) -> None:
    """End a run whose Snakemake has another folder for the results than the config.

    Rules name files in both ways, so that jobs would not find what other jobs made.
    """
    made = run.path_of("<results>")
    if made != results:
        remedy = f"write `results: {made}` in the config instead of `prefix` or `pathvars`"
        sys.exit(f"error: results: {results} in the config, {made} for Snakemake; {remedy}")
