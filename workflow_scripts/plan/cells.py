"""Cells as tables and figures get them: score files and comparability, or why they do not run."""

from functools import cached_property
from typing import Any

from workflow_scripts.plan.availability import Availability
from workflow_scripts.plan.cell_requests import Cell, CellRequest, CellRequests
from workflow_scripts.plan.comparability import comparability, unique
from workflow_scripts.plan.typed import Typed
from workflow_scripts.tables.document import OWN


class Cells:
    """The cells of tables ("tables") and figures ("figures") of a config."""

    def __init__(self, typed: Typed, requests: CellRequests, availability: Availability) -> None:
        self._typed = typed
        self._requests = requests
        self._availability = availability

    @cached_property
    def run(self) -> list[CellRequest]:
        """All that cells ask for and that is run."""
        return [wanted for wanted in self._requests if self._availability.not_run(wanted) is None]

    def run_for(self, paper: str) -> list[CellRequest]:
        """Return what the cells of a paper's tables and figures ask for, and that is run.

        Of all papers for a table of your own.
        """
        if paper == OWN:
            return self.run
        return [
            wanted
            for section, name in self._requests.cells
            if getattr(self._typed, section)[name].paper == paper
            for wanted in self.run_of(section, name)
        ]

    def run_of(self, section: str, name: str) -> list[CellRequest]:
        """Return what the cells of a table or figure ask for, and that is run."""
        cells = self._requests.cells[section, name].values()
        return [
            one for requests in cells for one in requests if self._availability.not_run(one) is None
        ]

    def scores(self, wanted: CellRequest) -> list[str]:
        """Return the score files of a data set of a cell, one for each seed."""
        return [f"{self._typed.config.results}/scores/{one}.tsv" for one in wanted.score_ids()]

    def all_scores(self) -> list[str]:
        """Return the score files of all cells that are run, sorted."""
        return sorted({file for wanted in self.run for file in self.scores(wanted)})

    def cell(self, section: str, name: str, cell: Cell, tolerance: float | None) -> dict[str, Any]:
        """Return {parts, differences_from_paper, assumptions, tolerance} of a cell, or {not_run:
        reason}.

        A part is {dataset, metric, scores: files by seed}. `tolerance` is the column's own; without
        one the config's holds. A mean over several data sets leaves out those whose files are
        missing and skipped, and says so as a difference from the paper.
        """
        everything = self._requests.cells[section, name][cell]
        left_out = self.left_out(section, name, cell)
        found = [wanted for wanted in everything if wanted.dataset not in left_out]
        for wanted in found:
            if (not_run := self._availability.not_run(wanted)) is not None:
                return {"not_run": not_run.reason}
        paper = getattr(self._typed, section)[name].paper
        comparabilities = [comparability(self._typed, paper, wanted) for wanted in found]
        reasons = [one for its in comparabilities for one in its.differences_from_paper]
        reasons += [f"the mean leaves out {dataset}" for dataset in left_out]
        if tolerance is None:
            tuned = self._typed.is_tuned(found[0].encoders[0][0].recipe)
            tolerances = self._typed.config.tolerance
            tolerance = tolerances.tuned if tuned else tolerances.untuned
        parts = [
            {"dataset": one.dataset, "metric": one.metric, "scores": self.scores(one)}
            for one in found
        ]
        assumed = unique(one for its in comparabilities for one in its.assumptions)
        told = {"differences_from_paper": unique(reasons), "assumptions": assumed}
        return {"parts": parts, **told, "tolerance": tolerance}

    def left_out(self, section: str, name: str, cell: Cell) -> list[str]:
        """Return the data sets that a mean leaves out, their files missing; none where all are."""
        everything = self._requests.cells[section, name][cell]
        reasons = [(wanted.dataset, self._availability.not_run(wanted)) for wanted in everything]
        found = [dataset for dataset, why in reasons if why is not None and why.dataset_missing]
        return found if len(found) < len(everything) else []
