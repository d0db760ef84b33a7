"""A copy of the project in a folder of its own, with a small config, to run for real."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import yaml

PROJECT = Path(__file__).resolve().parents[2]

COPIED = ("Snakefile", "rules", "envs", "workflow_scripts", "config", "profiles", "resources")

SMALL_CONFIG = PROJECT / "tests" / "workflow" / "small.yaml"

# files that hold when and how long a run was
TIMES = ("running-time.", "index.html", "run.js", "status.js", "results.zip")
# the rules that tests name most
TUNE = "tune_encoder"
SAMPLE = "sample_corpus"


class SmallProject:
    """A folder with the project's files and a small config."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config_file = folder / "config" / "small.yaml"
        # of the processes of a run: a command to start them with, and variables of environment
        self.inside: list[str] = []
        self.variables = {"HF_HUB_OFFLINE": "1"}

    def read_config(self) -> dict:
        return yaml.safe_load(self.config_file.read_text())

    def write_config(self, config: dict) -> None:
        self.config_file.write_text(yaml.safe_dump(config, sort_keys=False))

    @contextmanager
    def edited_config(self) -> Iterator[dict]:
        """Give the config to change, and write it."""
        config = self.read_config()
        yield config
        self.write_config(config)

    def command(self, *options: str) -> list[str]:
        return [
            *(*self.inside, sys.executable, "-m", "snakemake", "--configfile", "config/small.yaml"),
            *("--cores", "2"),
            *options,
        ]

    def environment(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return {**os.environ, "PATH": path, **self.variables}

    def run(self, *options: str) -> subprocess.CompletedProcess:
        """Return a run of Snakemake with all that it said in `stdout`."""
        words = self.command(*options)
        if "--dry-run" in options and not self.inside:
            return run_in_server(words, self.folder, self.environment())
        told = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        return subprocess.run(words, cwd=self.folder, env=self.environment(), **told)

    def succeeds(self, *options: str) -> str:
        """Return what a run says, which ends well."""
        result = self.run(*options)
        assert result.returncode == 0, result.stdout
        return result.stdout

    def fails(self, *options: str) -> str:
        """Return what a run says, which ends with an error and leaves nothing half-written."""
        result = self.run(*options)
        assert result.returncode != 0, result.stdout
        assert "Traceback" not in result.stdout
        hidden = (self.folder / "results").rglob(".*")
        assert not [file for file in hidden if file.suffix in (".tmp", ".old")]
        return result.stdout

    def planned(self, *options: str) -> list[str]:
        """Return "rule wildcards" of every job that a dry run would run, sorted."""
        output = self.succeeds(*options, "--dry-run", "--quiet", "host")
        jobs = []
        for block in re.split(r"\n(?=(?:local)?rule )", output)[1:]:
            rule = re.match(r"(?:local)?rule (\w+)", block).group(1)
            wildcards = re.search(r"^    wildcards: (.*)$", block, flags=re.MULTILINE)
            jobs.append(f"{rule} {wildcards.group(1) if wildcards else ''}".strip())
        return sorted(jobs)

    def tables(self) -> dict[str, bytes]:
        """Return the files of tables and figures by path; not those of times, that differ."""
        results = self.folder / "results"
        return {
            str(file.relative_to(results)): file.read_bytes()
            for kind in ("tables", "figures")
            for file in sorted((results / kind).rglob("*"))
            if file.is_file() and not file.name.startswith(TIMES)
        }


@cache
def snakemake_server() -> subprocess.Popen:
    """Start snakemake_server.py, which ends with this process."""
    words = [sys.executable, str(Path(__file__).with_name("snakemake_server.py"))]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def run_in_server(
    words: list[str], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess:
    """Run `python -m snakemake ...` without the time of its imports."""
    server = snakemake_server()
    assert server.stdin and server.stdout
    with tempfile.NamedTemporaryFile("r", suffix=".log") as output:
        request = {
            "words": words[words.index("snakemake") + 1 :],
            "folder": str(folder),
            "environment": environment,
            "output": output.name,
        }
        print(json.dumps(request), file=server.stdin, flush=True)
        status = int(server.stdout.readline())
        return subprocess.CompletedProcess(words, status, output.read())


def copy_project(project: Path, folder: Path) -> SmallProject:
    """Return the small project before any run."""
    folder.mkdir()
    for name in COPIED:
        source = project / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, folder / name)
    small = SmallProject(folder)
    shutil.copy2(SMALL_CONFIG, small.config_file)
    return small
