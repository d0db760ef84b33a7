"""The folder that a run is started in: that of the project, at a path that Snakemake takes."""

import os
import shlex
import shutil
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def refuse_other_folder(folder: Path | None = None, project: Path = PROJECT) -> None:
    """End a run that Snakemake would only stop with hundreds of lines.

    Rules name their files relative to the project's folder. The path of that folder goes into the
    files of conda environments, in which Snakemake fills `{name}`.
    """
    folder = folder or Path.cwd()
    package = "workflow_scripts"
    if not (folder / package).is_dir() or not (folder / package).samefile(project / package):
        quoted = shlex.quote(str(project))
        remedy = (
            f"start it in {quoted} or add -d {quoted}; `results` in a config is where it writes"
        )
        sys.exit(f"error: {folder}: not the folder of the project; {remedy}")
    if {"{", "}"} & {*str(project)}:
        why = "Snakemake takes braces in its path for wildcards"
        sys.exit(f"error: {project}: {why}; rename the folder or move the project")


def use_own_python() -> None:
    """Let steps run in the environment of this Snakemake, where its shell has not activated that.

    They call `python`, which may be another one where Snakemake is called by its path.
    """
    folder = Path(sys.executable).parent
    if shutil.which("python") != str(folder / "python"):
        os.environ["PATH"] = os.pathsep.join([str(folder), os.environ.get("PATH", os.defpath)])
