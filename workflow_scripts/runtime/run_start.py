"""Checks of a run as it starts (its folders, targets and GPUs), and the Python of its steps.

A run that fails a check ends with one line that names the remedy, which Snakemake's own messages
do not.
"""

import os
import shlex
import shutil
import sys
from pathlib import Path

from workflow_scripts import project_files
from workflow_scripts.runtime.snakemake_run import SnakemakeRun

# the usual folder of results
_USUAL = "results"


def refuse_braces(project: Path = project_files.PROJECT) -> None:
    """End a run that Snakemake would only stop with hundreds of lines.

    The path of the run's folder goes into the files of conda environments, and that of the project
    into inputs, in which Snakemake fills `{name}`.
    """
    for folder, remedy in ((project, "move the project"), (Path.cwd(), "start it elsewhere")):
        if {"{", "}"} & {*str(folder)}:
            why = "Snakemake takes braces in its path for wildcards"
            sys.exit(f"error: {folder}: {why}; rename the folder or {remedy}")


def refuse_other_folder(folder: Path | None = None, project: Path = project_files.PROJECT) -> None:
    """End a run of a workflow that names its files relative to the project's folder."""
    folder = folder or Path.cwd()
    package = "workflow_scripts"
    if not (folder / package).is_dir() or not (folder / package).samefile(project / package):
        quoted = shlex.quote(str(project))
        remedy = (
            f"start it in {quoted} or add -d {quoted}; `results` in a config is where it writes"
        )
        sys.exit(f"error: {folder}: not the folder of the project; {remedy}")
    refuse_braces(project)


def use_own_python() -> None:
    """Let steps run in the environment of this Snakemake, where its shell has not activated that.

    They call `python`, which may be another one where Snakemake is called by its path.
    """
    folder = Path(sys.executable).parent
    if shutil.which("python") != str(folder / "python"):
        os.environ["PATH"] = os.pathsep.join([str(folder), os.environ.get("PATH", os.defpath)])


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


def refuse_too_few_gpus(run: SnakemakeRun, gpus: int) -> None:
    """End a run before it plans if a job of tuning wants more GPUs than a job may have.

    With a limit of 0 no job has one.
    """
    limit = run.gpu_limit
    if run.is_head and limit and gpus > limit:
        remedy = f"give --resources gpu={gpus}, with a cluster's profile `node_gpus: {gpus}`"
        limited = f"a job has {limit} GPUs at most"
        sys.exit(f"error: config: `processes.tuning`: is {gpus}, and {limited}; {remedy}")
