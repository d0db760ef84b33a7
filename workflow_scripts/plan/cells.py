"""Cells as tables and figures get them: score files and comparability, or why they do not run."""

from functools import cached_property
from typing import Any

from workflow_scripts.plan.availability import Availability
from workflow_scripts.plan.cell_requests import CellKey, CellRequest, CellRequests
from workflow_scripts.plan.comparability import comparability, unique
from workflow_scripts.tables.document import OWN


class Cells:
    """The cells of tables ("tables") and figures ("figures") of a config, and what they are of."""

    def __init__(self, requests: CellRequests, availability: Availability) -> None:
        self.requests = requests
        self.availability = availability
        self.typed = availability.typed
        self.models = availability.models

    @cached_property
    def run(self) -> list[CellRequest]:
        """The requests that are run."""
        return [request for request in self.requests if self.availability.not_run(request) is None]

    def run_for(self, paper: str) -> list[CellRequest]:
        """Return the requests of a paper's tables and figures that are run.

        Those of all papers for a table of your own.
        """
        if paper == OWN:
            return self.run
        return [
            request
            for section, name in self.requests.cells
            if getattr(self.typed, section)[name].paper == paper
            for request in self.run_of(section, name)
        ]

    def run_of(self, section: str, name: str) -> list[CellRequest]:
        """Return the requests of a table or figure that are run."""
        return [
            request
            for requests in self.requests.cells[section, name].values()
            for request in requests
            if self.availability.not_run(request) is None
        ]

    def scores(self, request: CellRequest) -> list[str]:
        """Return the score files of a data set of a cell, one for each seed."""
        folder = f"{self.typed.config.results}/scores"
        return [f"{folder}/{score_id}.tsv" for score_id in request.score_ids()]

    def all_scores(self) -> list[str]:
        """Return the score files of all cells that are run, sorted."""
        return sorted({file for request in self.run for file in self.scores(request)})

    def cell(
        self, section: str, name: str, cell: CellKey, tolerance: float | None
    ) -> dict[str, Any]:
        """Return {parts, differences_from_paper, assumptions, tolerance} of a cell, or {not_run:
        reason}.

        A part is {dataset, metric, scores: files by seed}. `tolerance` is the column's own; without
        one the config's holds. A mean over several data sets leaves out those whose files are
        missing and skipped, and says so as a difference from the paper.
        """
        left_out = self.left_out(section, name, cell)
        requests = [
            request
            for request in self.requests.cells[section, name][cell]
            if request.dataset not in left_out
        ]
        for request in requests:
            if (not_run := self.availability.not_run(request)) is not None:
                return {"not_run": not_run.reason}
        paper = getattr(self.typed, section)[name].paper
        differences: list[str] = []
        assumptions: list[str] = []
        for request in requests:
            dataset_comparability = comparability(self.typed, paper, request)
            differences += dataset_comparability.differences_from_paper
            assumptions += dataset_comparability.assumptions
        differences += [f"the mean leaves out {dataset}" for dataset in left_out]
        if tolerance is None:
            tuned = self.typed.is_tuned(requests[0].encoders[0][0].recipe)
            tolerances = self.typed.config.tolerance
            tolerance = tolerances.tuned if tuned else tolerances.untuned
        parts = [
            {"dataset": request.dataset, "metric": request.metric, "scores": self.scores(request)}
            for request in requests
        ]
        return {
            "parts": parts,
            "differences_from_paper": unique(differences),
            "assumptions": unique(assumptions),
            "tolerance": tolerance,
        }

    def left_out(self, section: str, name: str, cell: CellKey) -> list[str]:
        """Return the data sets that a mean leaves out, their files missing; none where all are."""
        requests, missing = self.requests.cells[section, name][cell], []
        for request in requests:
            not_run = self.availability.not_run(request)
            if not_run is not None and not_run.dataset_missing:
                missing.append(request.dataset)
        return missing if len(missing) < len(requests) else []
