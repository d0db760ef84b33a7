"""The folder that a run is started in, and that of the project, at paths that Snakemake takes."""

import os
import shlex
import shutil
import sys
from pathlib import Path

from workflow_scripts import project_files


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
