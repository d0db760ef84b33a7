"""Weights of encoders that go once every job that reads them has run (`keep_encoders`).

Snakemake removes them, as outputs marked `temp`: a mark of one job, where a rule would mark those
of all its jobs. What a method trained next to the model goes with them.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from workflow_scripts.runtime.output_integrity import OWN_WEIGHTS
from workflow_scripts.runtime.snakemake_run import SnakemakeRun


class TemporaryWeights:
    """The weights of a run that do not stay; `keeps` takes the wildcards of an encoder's job.

    Those of an encoder that is itself a target of the run stay.
    """

    def __init__(self, run: SnakemakeRun, keeps: Callable[[Any], bool]) -> None:
        self._run, self._keeps = run, keeps
        self._weights: set[Path] = set()

    def start(self) -> None:
        """Mark them, once the jobs are planned."""
        for job in self._run.jobs_of("tune_encoder"):
            if not self._run.is_target(job) and not self._keeps(job.wildcards):
                self._run.mark_temporary(job, job.output.weights)
                # those that a run that was killed removed, or this one is to make
                self._weights.add(Path(job.output.weights))
        self.remove_own_weights()
        if self._weights:
            self._run.watch(self._hear)

    def _hear(self, event: str, record: Any) -> None:
        # Snakemake removes weights between two of these
        if event == "job_finished":
            self.remove_own_weights()

    def remove_own_weights(self) -> None:
        """Remove what methods trained next to weights that are gone."""
        for weights in self._weights:
            if not weights.exists():
                weights.with_name(OWN_WEIGHTS).unlink(missing_ok=True)
