"""Which encoders keep their weights after a run (`keep_encoders` of the config)."""

from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.encoders import Encoder
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
        self._choice = typed.config.keep_encoders
        self._added = typed.added_recipes
        blocks = [block.encoder for block in typed.dictionaries.values()]
        recipes = [block.recipe for block in blocks if block.recipe in typed.recipes]
        self._of_dictionaries = {name for recipe in recipes for name in typed.recipes_of(recipe)}
        starts = map(cells.requests.start_of, required.encoders)
        self._starts = {start for start in starts if start is not None}

    def keeps(self, encoder: Encoder) -> bool:
        """Return whether the weights of a tuned encoder stay."""
        chosen = self._choice == "all" or encoder.recipe in {*self._choice, *self._added}
        return chosen or encoder in self._starts or encoder.recipe in self._of_dictionaries
