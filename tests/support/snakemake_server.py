"""Dry runs of Snakemake in forks of one process that has imported it: a second less of each.

A fork imports the project's own modules itself, from the folder in which it runs.

    python tests/support/snakemake_server.py   # answers each request, a line of JSON, with a line
"""

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

# what the Snakefile and its modules import of others
LIBRARIES = ("snakemake.cli", "snakemake_executor_plugin_slurm", "pydantic", "yaml", "numpy")


def main() -> None:
    """Answer requests until the input ends."""
    # else the tests' modules would be found, and those of the checkout that is installed
    sys.path[:] = [path for path in sys.path if not is_project(Path(path))]
    for library in LIBRARIES:
        importlib.import_module(library)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            sys.exit(run(**json.loads(line)))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def is_project(folder: Path) -> bool:
    """Whether a folder of the path is the tests' or a checkout of the project."""
    return folder == Path(__file__).parent or (folder / "workflow_scripts").is_dir()


def run(words: list[str], folder: str, environment: dict[str, str], output: str) -> Any:
    """Do what `python -m snakemake WORDS` does in a folder, with its output in a file."""
    with Path(output).open("w") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), sys.stdin.fileno())
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path.insert(0, folder)
    sys.argv = ["snakemake", *words]
    return sys.modules["snakemake.cli"].main()


if __name__ == "__main__":
    main()
