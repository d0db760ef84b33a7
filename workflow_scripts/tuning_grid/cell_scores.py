"""The score of one cell: the model, tuned from its own weights, on the development set."""

from copy import deepcopy
from dataclasses import replace

from workflow_scripts import plugins
from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.errors import UserError
from workflow_scripts.scoring.development_scores import make_score
from workflow_scripts.scoring.development_set import DevelopmentSet
from workflow_scripts.tuning.loop import tune_model
from workflow_scripts.tuning.recipe import METHODS, TuningRecipe
from workflow_scripts.tuning_grid.cells import CellScore


def check_model(loaded: LoadedModel, recipes: list[TuningRecipe]) -> None:
    """Raise `UserError` if a model cannot be pooled as a recipe says or take its lengths."""
    for recipe in recipes:
        loaded.check_settings(recipe.settings)
        loaded.check_settings(recipe.training_settings)
    for pooling in sorted({recipe.pooling for recipe in recipes}):
        loaded.warn_of_missing_mark(pooling)


def score_cell(
    loaded: LoadedModel,
    cell: int,
    name: str,
    recipe: TuningRecipe,
    corpus: str,
    development: DevelopmentSet,
    seed: int,
) -> CellScore:
    """Return the score of a cell: a copy of `loaded`, tuned by `recipe`, changed from `name`.

    What cannot be tuned or scored gives no value but the reason.
    """
    tuned = replace(loaded, model=deepcopy(loaded.model))
    score = make_score(development, recipe.settings)
    try:
        strings = plugins.load(METHODS, recipe.method).read(corpus, recipe, name)
        summary = tune_model(tuned, strings, recipe, seed, score=score)
        value = score(tuned, None)
    except UserError as error:
        return CellScore(cell, seed, value=None, reason=str(error))
    return CellScore(cell, seed, value, summary.first_loss, summary.last_loss, steps=summary.steps)
