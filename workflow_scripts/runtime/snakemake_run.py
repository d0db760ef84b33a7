"""All that is used of Snakemake's objects and of its log, which may change with its version.

Its records of outputs are in `results_records`, its plugin for SLURM in `slurm_patches`.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.shell import shell

_LOGGER = logging.getLogger("snakemake.logging")
_NOTHING_TO_DO = "nothing_to_do"
# takes an event, such as that a job starts ("job_info"), ends ("job_finished") or fails
# ("job_error"), and Snakemake's record of it
Hear = Callable[[str, Any], None]


def _call_both(before: Callable[[Any], None], function: Callable[[], None], log: Any) -> None:
    before(log)
    function()


class SnakemakeRun:
    """A run of Snakemake, as the Snakefile is read and later; `workflow` is Snakemake's own."""

    def __init__(self, workflow: Any) -> None:
        self._workflow = workflow
        # of the Snakefile that is being read: the main one, or a module of it
        self._modifier = workflow.modifier

    @property
    def is_module(self) -> bool:
        """Whether another workflow imports this one, by `module`."""
        return not self._modifier.is_main_snakefile()

    @property
    def config_files(self) -> list[str | dict[str, Any]]:
        """The files given with --configfile; of a module what its statement has as `config`."""
        if self.is_module:
            return [self._workflow.globals["config"]]
        return self._workflow.overwrite_configfiles

    @property
    def config_values(self) -> dict[str, Any]:
        """What is given with --config, which is of the main workflow."""
        return {} if self.is_module else self._workflow.config_settings.config

    @property
    def targets(self) -> set[str]:
        """The files and rules that the command line names; known once the Snakefile is read."""
        return self._workflow.dag_settings.targets

    def name_of(self, rule: str) -> str:
        """Return the name of a rule in this run: a module's may have another."""
        return self._modifier.modify_rulename(rule)

    def path_of(self, path: str) -> str:
        """Return what Snakemake makes of a path in a rule: `prefix` of a module changes it."""
        path = self._modifier.pathvars.apply(path)
        return str(self._modifier.modify_path(path))

    def add_to_shell_prefix(self, text: str) -> None:
        """Have each command of the run begin with `text`, after what a workflow set before."""
        before = shell._get_process_prefix() if self.is_module else ""
        if text not in before:
            shell.prefix((before + text).replace("{", "{{").replace("}", "}}"))

    def start_jobs_at_once(self) -> None:
        """Lift Snakemake's limit on how many jobs start in a timespan, for a run on this machine.

        With a limit, a run would wait at its end for the last timespan to pass, and would look for
        jobs to start twice for each job that ends. To be called before the first job starts.
        """
        if self._workflow.local_exec:
            self._workflow.scheduler.job_rate_limiter = None

    def watch(self, hear: Hear) -> None:
        """Have `hear` called with each event of a job, and Snakemake's record of it."""
        _LOGGER.addHandler(_Events(hear))

    def watch_outputs(
        self, finished: Callable[[list[str]], None], nothing_to_do: Callable[[], None]
    ) -> None:
        """Hand on the outputs of each job that has ended, and that the run finds nothing to do."""
        outputs: dict[str, list[str]] = {}

        def hear(event: str, record: Any) -> None:
            if event == "job_info":
                outputs[str(record.jobid)] = [str(path) for path in record.output or ()]
            elif event == "job_finished":
                finished(outputs.pop(str(record.job_id), []))
            elif event == _NOTHING_TO_DO:
                nothing_to_do()

        self.watch(hear)

    def add_module_hooks(
        self,
        start: Callable[[], None],
        success: Callable[[], None],
        failure: Callable[[], None],
    ) -> None:
        """Call functions at the start, success and failure of a run that imports this workflow.

        That is after those of the main workflow: of a module Snakemake calls none.
        """

        def hear(event: str, record: Any) -> None:
            # all files are read by then
            if event == "run_info" and not self.is_dry:
                hooks = {"_onstart": start, "_onsuccess": success, "_onerror": failure}
                for name, hook in hooks.items():
                    before = getattr(self._workflow, name)
                    # each `use rule` of a module reads its Snakefile again
                    if getattr(before, "func", None) is not _call_both:
                        setattr(self._workflow, name, partial(_call_both, before, hook))

        if self.is_module:
            self.watch(hear)

    @property
    def is_head(self) -> bool:
        """Whether this process plans the run; others run single jobs of it."""
        return self._workflow.is_main_process

    @property
    def is_dry(self) -> bool:
        return self._workflow.output_settings.dryrun

    @property
    def runs_jobs(self) -> bool:
        """Whether the run executes jobs: no dry run, and none of the options that only show."""
        settings = self._workflow.resource_settings
        return bool(settings.cores or settings.nodes) and not self.is_dry

    @property
    def runs_steps_here(self) -> bool:
        """Whether steps run on this machine and in this environment.

        So do those of a group of jobs, on its node of a cluster.
        """
        packaged = self._workflow.deployment_settings.deployment_method
        return (self._workflow.local_exec or self.is_group) and not packaged

    @property
    def gpu_limit(self) -> int | None:
        """GPUs that a job has at most, of --resources or a profile; None without a limit."""
        limit = self._workflow.resource_settings.resources.get("gpu")
        return getattr(limit, "value", limit)

    @property
    def is_group(self) -> bool:
        """Whether this process runs a group of jobs on a node of a cluster."""
        default = type(self._workflow.group_settings)().local_groupid
        return self._workflow.group_settings.local_groupid != default

    @property
    def quiet(self) -> set[str]:
        """The names given with --quiet, in capitals."""
        return {item.name for item in self._workflow.output_settings.quiet or ()}

    @property
    def slurm_name(self) -> str | None:
        """How SLURM's queue names the jobs of this run; None where it submits none there."""
        return getattr(self._workflow.scheduler._executor, "run_uuid", None)

    def jobs(self) -> dict[str, Any]:
        """Return the job of each output, once the jobs are planned."""
        return {file: job for job in self._workflow.dag.jobs for file in job.output}

    def jobs_of(self, rule: str) -> list[Any]:
        """Return the jobs of a rule, once the jobs are planned."""
        name = self.name_of(rule)
        return [job for job in self._workflow.dag.jobs if job.rule.name == name]

    def is_target(self, job: Any) -> bool:
        """Whether a target of the run is an output of a job."""
        return job in self._workflow.dag.targetjobs

    def mark_temporary(self, job: Any, output: Any) -> None:
        """Have Snakemake remove an output of a job, once all jobs that read it have run.

        Jobs that read it are then started before others.
        """
        output.flags["temp"] = True
        job.temp_output.add(output)
        for reader in self._workflow.dag.depending[job]:
            for file in reader.input:
                if file == output:
                    file.clone_flags(output)

    def is_to_run(self, job: Any) -> bool:
        return self._workflow.dag.needrun(job)

    def has_ended(self, job: Any) -> bool:
        return self._workflow.dag.finished(job)


class _Events(logging.Handler):
    """Hands on what Snakemake logs: its records have fields that their type does not have."""

    def __init__(self, hear: Hear) -> None:
        super().__init__()
        self._hear = hear

    def emit(self, record: logging.LogRecord) -> None:
        # which is not an event, and after which Snakemake calls no hook
        if record.msg == NOTHING_TO_BE_DONE_MSG:
            self._hear(_NOTHING_TO_DO, record)
        elif event := getattr(getattr(record, "event", None), "value", None):
            self._hear(event, record)
