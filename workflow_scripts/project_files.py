"""Files that ship with the project, for a run in its own folder or in any other."""

import os
import shlex
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
# the folder of bundled models and sample data, which configs name relative to the project
_SHIPPED = "resources/"


def runs_in_project() -> bool:
    """Return whether the working folder is that of the project, or has links to its files."""
    package = "workflow_scripts"
    return os.path.isdir(package) and os.path.samefile(package, PROJECT / package)


def project_file(path: str) -> str:
    """Return a file of the project as a rule names it: relative within the project's folder."""
    return path if runs_in_project() else f"{PROJECT}/{path}"


def shipped_file(path: str) -> str:
    """Return a path of a config: one below `resources/` is the project's if the run has none."""
    if not path.startswith(_SHIPPED) or os.path.exists(path) or not (PROJECT / path).exists():
        return path
    return str(PROJECT / path)


def within_project(path: str) -> str:
    """Return a path relative to the project if it is in its folder, else as it is.

    So records of a run in another folder do not depend on where the project is.
    """
    return path.removeprefix(f"{PROJECT}/")


def step_variables() -> dict[str, str]:
    """Return the environment variables with which steps of a run in another folder import.

    They import the project's modules, and none that the folder of the run happens to have.
    """
    if runs_in_project():
        return {}
    folders = [str(PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(folders), "PYTHONSAFEPATH": "1"}


def shell_functions() -> str:
    """Return the lines of bash that define what the rules' commands call (runtime/job.sh).

    In another folder they may come before commands of another workflow, which imports this one:
    nothing is set there before one of the project's own rules calls such a function.
    """
    functions = shlex.quote(project_file("workflow_scripts/runtime/job.sh"))
    if runs_in_project():
        return f"set -euo pipefail; source {functions}; "
    variables = " ".join(f"{name}={shlex.quote(text)}" for name, text in step_variables().items())
    load = f"export {variables}; source {functions}"
    stubs = "".join(f'{name}() {{ {load}; {name} "$@"; }}; ' for name in ("logged", "shown"))
    return f"set -euo pipefail; {stubs}"
