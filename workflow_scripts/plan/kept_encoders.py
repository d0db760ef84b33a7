"""Which encoders keep their weights after a run (`keep_encoders` of the config)."""

from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.encoders import UNTUNED_CORPUS, Encoder
from workflow_scripts.plan.requirements import Requirements


class KeptEncoders:
    """The encoders that the config keeps, and those that it would be costly to make again.

    Snakemake runs all jobs behind one that it runs again. So what another encoder of a table starts
    from stays: else a further column would tune that encoder again. An encoder of a dictionary
    stays, too: else other mentions would embed all its names again. A choice of the shipped configs
    removes nothing of recipes that the user adds to them.
    """

    def __init__(self, cells: Cells, required: Requirements) -> None:
        typed = cells.typed
        choice = typed.config.keep_encoders
        self._all = choice == "all"
        chosen = () if isinstance(choice, str) else choice
        self._recipes = {*chosen, *typed.added_recipes}
        for block in (block.encoder for block in typed.dictionaries.values()):
            if block.recipe in typed.recipes:
                encoder = Encoder(block.model, block.recipe, block.corpus or UNTUNED_CORPUS, 0)
                self._recipes.update(typed.recipes_of(encoder))
        starts = map(typed.start_of, required.encoders)
        self._starts = {start for start in starts if start is not None}

    def keeps(self, encoder: Encoder) -> bool:
        """Return whether the weights of a tuned encoder stay."""
        return self._all or encoder.recipe in self._recipes or encoder in self._starts
