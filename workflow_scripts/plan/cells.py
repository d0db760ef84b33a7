"""Cells as tables and figures get them: score files and comparability, or why they do not run."""

from functools import cached_property
from typing import Any, NamedTuple

from workflow_scripts.plan.availability import Availability
from workflow_scripts.plan.cell_requests import CellRequest, CellRequests
from workflow_scripts.plan.comparability import comparability, unique
from workflow_scripts.tables.document import OWN


class DeclaredCell(NamedTuple):
    """A cell that a kind requests (`requested_cells`), and what became of it in this config.

    `block` is {parts, differences_from_paper, assumptions, tolerance}, or {not_run: reason}. A part
    is {dataset, metric, scores: files by seed}. `left_out` are the data sets that its mean leaves
    out for want of their files, which is a difference from the paper.
    """

    requested: Any
    block: dict[str, Any]
    requests: list[CellRequest]
    left_out: list[str]

    @property
    def values(self) -> dict[str, Any]:
        """Its {parts} or {not_run}, without how it compares with the paper."""
        return {key: self.block[key] for key in ("parts", "not_run") if key in self.block}

    @property
    def models(self) -> list[str]:
        """The models of its encoders."""
        encoders = (encoders for request in self.requests for encoders in request.encoders)
        return [encoder.model for of_seed in encoders for encoder in of_seed]


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
        return self.run_for(OWN)

    def run_for(self, paper: str) -> list[CellRequest]:
        """Return the requests of a paper's tables and figures that are run.

        Those of all papers for a table of your own.
        """
        return [
            request
            for section, name in self.requests.cells
            if paper in (OWN, getattr(self.typed, section)[name].paper)
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

    def declared(self, section: str, name: str) -> list[DeclaredCell]:
        """Return the cells of a table or figure in the order in which its kind requests them."""
        paper, declared = getattr(self.typed, section)[name].paper, []
        for cell, requested in self.requests.requested[section, name].items():
            requests = self.requests.cells[section, name][cell]
            left_out = self._left_out(requests)
            shown = [request for request in requests if request.dataset not in left_out]
            block = self._block(paper, shown)
            if "parts" in block:
                reasons = [f"the mean leaves out {dataset}" for dataset in left_out]
                block["differences_from_paper"] += reasons
                # a column's own comes first
                own = (requested[1] if section == "tables" else requested).get("tolerance")
                block["tolerance"] = self._tolerance(shown[0]) if own is None else own
            declared.append(DeclaredCell(requested, block, requests, left_out))
        return declared

    def _block(self, paper: str, requests: list[CellRequest]) -> dict[str, Any]:
        """Return {parts, differences_from_paper, assumptions} of a cell, or {not_run: reason}."""
        for request in requests:
            if (reason := self.availability.not_run(request)) is not None:
                return {"not_run": reason}
        comparabilities = [comparability(self.typed, paper, request) for request in requests]
        return {
            "parts": [
                {
                    "dataset": request.dataset,
                    "metric": request.metric,
                    "scores": self.scores(request),
                }
                for request in requests
            ],
            "differences_from_paper": unique(
                reason for compared in comparabilities for reason in compared.differences_from_paper
            ),
            "assumptions": unique(
                what for compared in comparabilities for what in compared.assumptions
            ),
        }

    def _tolerance(self, request: CellRequest) -> float:
        tuned = self.typed.is_tuned(request.encoders[0][0].recipe)
        tolerances = self.typed.config.tolerance
        return tolerances.tuned if tuned else tolerances.untuned

    def _left_out(self, requests: list[CellRequest]) -> list[str]:
        """Return the data sets that a mean leaves out, their files missing; none where all are."""
        if self.typed.config.data.missing == "error":
            return []
        missing = [
            request.dataset
            for request in requests
            if request.absent is None and self.availability.missing_files(request.dataset)
        ]
        return missing if len(missing) < len(requests) else []
