"""The jobs that Snakemake plans for a config, in this process: what each command gets, and a run.

A dry run in a process of its own takes 3 s; here it takes a few tenths, so that there can be many.
"""

import json
import re
import shlex
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from snakemake.api import SnakemakeApi
from snakemake.settings import types as settings

from workflow_scripts.errors import UserError
from workflow_scripts.sources import PACKAGES

# what a job writes of its time and memory
USAGE = "s\tmax_rss\tcpu_time\n1.5\t100\t1.2\n"
MODULE = re.compile(rf"({'|'.join(PACKAGES)})(\.\w+)+")


class Job(NamedTuple):
    """A job as planned; `options` has what its command gets.

    Besides the options of the command these are `start` (all before the module), `threads`,
    `resources`, `input` (files that it waits for and the command does not name) and, of a rule
    without a command, its `block`.
    """

    rule: str
    wildcards: dict[str, str]
    options: dict[str, tuple[str, ...]]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    module: str | None
    arguments: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        return self.rule, *(f"{key}={value}" for key, value in sorted(self.wildcards.items()))

    @property
    def runs(self) -> bool:
        """Whether it makes files here: a target makes none, and nothing is fetched."""
        fetches = self.rule.startswith("fetch_")
        return not fetches and (self.module is not None or "block" in self.options)

    def renamed(self, name: str, other: str) -> "Job":
        """Return the job with `other` for the id `name`, wherever it is."""
        text = json.dumps(self._asdict())
        fields = json.loads(re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w])", other, text))
        fields["options"] = {key: tuple(value) for key, value in fields["options"].items()}
        tuples = {key: tuple(fields[key]) for key in ("inputs", "outputs", "arguments")}
        return Job(**fields | tuples)

    def run(self) -> dict[str, bytes | str]:
        """Run the command in this process; return its outputs by path, or the error of the user.

        Of a folder the files in it; not what was measured, which no other job reads.
        """
        for output in map(Path, self.outputs):
            output.parent.mkdir(parents=True, exist_ok=True)
            if "benchmarks" in output.parts:
                output.write_text(USAGE)
        logs = [*self.options.get("--step-log", ()), *self.options.get("--training-log", ())]
        for log in logs:
            # commands append to an existing log
            Path(log).unlink(missing_ok=True)
        try:
            if self.module is None:
                Path(self.outputs[0]).write_text(self.options["block"][0], encoding="utf-8")
            else:
                import_module(self.module).main(list(self.arguments))
        except UserError as error:
            return {"error": str(error)}
        made = {}
        for output in map(Path, self.outputs):
            for file in sorted(output.rglob("*")) if output.is_dir() else [output]:
                if file.is_file() and "benchmarks" not in file.parts:
                    made[str(file)] = file.read_bytes()
        made |= {log: _measures(Path(log)) for log in logs}
        return made


def _measures(log: Path) -> bytes:
    """Return the losses and scores of a log of steps, which no output has."""
    rows = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    kept = [{k: v for k, v in row.items() if "loss" in k or k == "development"} for row in rows]
    return json.dumps(kept).encode()


def plan_jobs(
    config: dict[str, Any], targets: Iterable[str], snakefile: str = "Snakefile"
) -> list[Job]:
    """Return the jobs of targets in an order in which they can run; the folder is the project."""
    file = Path("wiring.yaml")
    file.write_text(yaml.dump({"base": "none", **config}, Dumper=yaml.CSafeDumper, sort_keys=False))
    quiet = settings.OutputSettings(dryrun=True, quiet={settings.Quietness.ALL})
    with SnakemakeApi(quiet) as api:
        workflow_api = api.workflow(
            resource_settings=settings.ResourceSettings(cores=8),
            config_settings=settings.ConfigSettings(configfiles=[file]),
            snakefile=Path(snakefile),
        )
        workflow_api.dag(settings.DAGSettings(targets=set(targets)))
        workflow = workflow_api._workflow
        # what a dry run does before it prints
        workflow._prepare_dag(forceall=True, ignore_incomplete=True, lock_warn_only=True)
        workflow._build_dag()
        levels = workflow.dag.toposorted()
        return [_job(job) for level in levels for job in sorted(level, key=str)]


def _job(job: Any) -> Job:
    # as the shell does, unlike shlex
    words = shlex.split((job.shellcmd or "").replace("\\\n", " "))
    place = next((n for n, word in enumerate(words) if MODULE.fullmatch(word)), len(words))
    # the part after a pipe belongs to the shell
    end = next((n for n, word in enumerate(words) if word in ("|", "2>&1")), len(words))
    arguments = words[place + 1 : end]
    files = {str(one) for one in (*job.output, *job.log)}
    options: dict[str, Any] = {"start": tuple(word for word in words[:place] if word not in files)}
    name = "start"
    for word in arguments:
        if word.startswith("--"):
            name, *value = word.split("=", 1)
            options[name] = tuple(value)
        else:
            options[name] = (*options[name], word)
    options["threads"] = (str(job.threads),)
    resources = {key: job.resources.get(key) for key in ("gpu", "mem_mb", "runtime")}
    options["resources"] = tuple(f"{k}={v}" for k, v in resources.items() if v is not None)
    named = {str(one) for one in job.input} - set(words)
    options["input"] = tuple(sorted(one for one in named if not one.startswith(PACKAGES)))
    if job.shellcmd is None and hasattr(job.params, "block"):
        options["block"] = (job.params["block"],)
    return Job(
        rule=job.rule.name,
        wildcards={key: str(value) for key, value in job.wildcards_dict.items()},
        options=options,
        inputs=tuple(map(str, job.input)),
        outputs=tuple(map(str, job.output)),
        module=words[place] if place < len(words) else None,
        arguments=tuple(arguments),
    )
