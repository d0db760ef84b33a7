"""Cells as the assembly of tables and figures gets them: score files and departures, or why not."""

from functools import cached_property
from typing import Any

from workflow_scripts.dag.asked import Asked, Cell, Wanted
from workflow_scripts.dag.departures import standing, unique
from workflow_scripts.dag.present import Present
from workflow_scripts.dag.typed import Typed
from workflow_scripts.tables.document import OWN


class Cells:
    """The cells of tables ("tables") and figures ("figures") of a config."""

    def __init__(self, typed: Typed, asked: Asked, present: Present) -> None:
        self._typed = typed
        self._asked = asked
        self._present = present

    @cached_property
    def run(self) -> list[Wanted]:
        """All that cells ask for and that is run."""
        return [wanted for wanted in self._asked if self._present.not_run(wanted) is None]

    def run_for(self, paper: str) -> list[Wanted]:
        """Return what the cells of a paper's tables and figures ask for, and that is run.

        Of all papers for a table of your own.
        """
        if paper == OWN:
            return self.run
        return [
            wanted
            for room, name in self._asked.cells
            if getattr(self._typed, room)[name].paper == paper
            for wanted in self.run_of(room, name)
        ]

    def run_of(self, room: str, name: str) -> list[Wanted]:
        """Return what the cells of a table or figure ask for, and that is run."""
        cells = self._asked.cells[room, name].values()
        return [one for asked in cells for one in asked if self._present.not_run(one) is None]

    def scores(self, wanted: Wanted) -> list[str]:
        """Return the score files of a data set of a cell, one for each seed."""
        return [f"{self._typed.config.results}/scores/{one}.tsv" for one in wanted.score_ids()]

    def all_scores(self) -> list[str]:
        """Return the score files of all cells that are run, sorted."""
        return sorted({file for wanted in self.run for file in self.scores(wanted)})

    def cell(self, room: str, name: str, cell: Cell, tolerance: float | None) -> dict[str, Any]:
        """Return {parts, departures, assumptions, tolerance} of a cell, or {not_run: reason}.

        A part is {dataset, metric, scores: files by seed}. `tolerance` is the column's own; without
        one the config's holds. A mean over several data sets leaves out those whose files are
        missing and skipped, and says so as a departure.
        """
        everything = self._asked.cells[room, name][cell]
        left_out = self.left_out(room, name, cell)
        found = [wanted for wanted in everything if wanted.dataset not in left_out]
        for wanted in found:
            if (not_run := self._present.not_run(wanted)) is not None:
                return {"not_run": not_run.reason}
        paper = getattr(self._typed, room)[name].paper
        standings = [standing(self._typed, paper, wanted) for wanted in found]
        reasons = [one for its in standings for one in its.departures]
        reasons += [f"the mean leaves out {dataset}" for dataset in left_out]
        if tolerance is None:
            tuned = self._typed.is_tuned(found[0].encoders[0][0].recipe)
            tolerances = self._typed.config.tolerance
            tolerance = tolerances.tuned if tuned else tolerances.untuned
        parts = [
            {"dataset": one.dataset, "metric": one.metric, "scores": self.scores(one)}
            for one in found
        ]
        assumed = unique(one for its in standings for one in its.assumptions)
        told = {"departures": unique(reasons), "assumptions": assumed}
        return {"parts": parts, **told, "tolerance": tolerance}

    def left_out(self, room: str, name: str, cell: Cell) -> list[str]:
        """Return the data sets that a mean leaves out, their files missing; none where all are."""
        everything = self._asked.cells[room, name][cell]
        reasons = [(wanted.dataset, self._present.not_run(wanted)) for wanted in everything]
        found = [dataset for dataset, why in reasons if why is not None and why.dataset_missing]
        return found if len(found) < len(everything) else []
