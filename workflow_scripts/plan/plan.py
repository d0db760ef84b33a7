"""The plan of a run: a config, read and checked, and what each rule gets of it."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from workflow_scripts.configuration.layers import Layers, read_layers
from workflow_scripts.content_hashes import ContentHashes
from workflow_scripts.plan.availability import Availability
from workflow_scripts.plan.cell_requests import CellRequests
from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.checks import check_config
from workflow_scripts.plan.dictionaries import Dictionaries
from workflow_scripts.plan.fetched import Downloads
from workflow_scripts.plan.models import Models
from workflow_scripts.plan.outputs import Outputs
from workflow_scripts.plan.requirements import (
    Requirements,
    keeps_weights,
    require_files,
    requirements_of,
)
from workflow_scripts.plan.rule_inputs import RuleInputs
from workflow_scripts.plan.searches import TuningGridPlan
from workflow_scripts.plan.stopping import mistakes_end_the_run
from workflow_scripts.plan.trained_encoders import check_origins
from workflow_scripts.plan.typed import read_typed


class Plan:
    """The parts of a plan: what is requested, which files exist, and what each rule gets.

    Raises `UserError` for a mistake in the config, naming file or key and the remedy, and for
    files that are missing, before the first job.
    """

    def __init__(self, layers: Layers) -> None:
        typed = read_typed(layers)
        check_config(typed)
        results, root = typed.config.results, Path(typed.config.data.root)
        self.typed = typed
        self.config = typed.config
        # records of the results are kept with them, in a folder that no rule knows
        self.records = Path(results) / ".workflow"
        self.hashes = ContentHashes(self.records / "hashes.jsonl")
        models = Models(typed.models, root, Path(typed.config.downloads.models), results)
        check_origins(typed.trained, models, self.hashes)
        availability = Availability(typed, models)
        self.downloads = Downloads(typed.config.downloads, root, availability.raw, self.hashes)
        self.cells = Cells(CellRequests(typed), availability)
        self.models = models
        self.rule_inputs = RuleInputs(self.cells)
        self.required = requirements_of(self.cells, self.cells.run)
        self.grid = TuningGridPlan(self.cells, self.rule_inputs)
        self.dictionaries = Dictionaries(self.cells, self.rule_inputs, self.downloads)
        self.outputs = Outputs(self.cells, self.required, self.rule_inputs, self.grid)
        require_files(self.cells, self.required, self.downloads)

    def keeps(self, wildcards: Any) -> bool:
        """Return whether the weights of the encoder that a job tunes stay after a run."""
        encoder = self.rule_inputs.encoder(wildcards)
        return keeps_weights(self.typed, self.required.encoders, encoder)

    @cached_property
    def all_required(self) -> Requirements:
        """What tables and figures read where no file is missing."""
        return requirements_of(self.cells, self.cells.requests)


def make_plan(
    files: Iterable[str | Path | Mapping[str, Any]], config_values: Mapping[str, Any]
) -> Plan:
    """Return the plan of config files and of the values of --config; a mistake ends the run."""
    with mistakes_end_the_run():
        return Plan(read_layers(files, config_values))
