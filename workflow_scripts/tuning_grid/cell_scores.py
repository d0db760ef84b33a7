"""The score of one cell: the model is tuned anew and scored on the development set."""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace

import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel, load_model
from workflow_scripts.errors import UserError
from workflow_scripts.scoring.development_set import DevelopmentSet
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.development_scores import make_score
from workflow_scripts.tuning.mirror_tuning import tune_model
from workflow_scripts.tuning.recipes import Recipe
from workflow_scripts.tuning_grid.slice_scores import CellScore


def load_for(model: str, recipes: Iterable[Recipe], device: torch.device) -> LoadedModel:
    """Return the model, loaded once for all recipes.

    Raises `UserError` if it cannot be pooled as one of them says or take its lengths.
    """
    recipes = list(recipes)
    loaded = load_model(model, device)
    for recipe in recipes:
        loaded.check_pooling(recipe.pooling, recipe.embed_max_length)
        if recipe.mirror is not None:
            loaded.check_pooling(recipe.pooling, recipe.mirror.max_length)
    for pooling in sorted({recipe.pooling for recipe in recipes}):
        loaded.warn_of_missing_mark(pooling)
    return loaded


def score_untuned(loaded: LoadedModel, recipe: Recipe, development: DevelopmentSet) -> CellScore:
    """Return the score of the model as it is, under the recipe's pooling and length."""
    score = make_score(development, recipe.pooling, recipe.embed_max_length)
    return CellScore(cell=None, seed=0, value=score(loaded))


def score_cell(
    loaded: LoadedModel,
    cell: int,
    recipe: Recipe,
    corpus: Corpus,
    development: DevelopmentSet,
    seed: int,
) -> CellScore:
    """Return the score of a cell: `loaded` tuned by `recipe` on `corpus` with `seed`.

    A copy is tuned, so that the weights of `loaded` stay as they came. A recipe with a development
    set of its own is scored on this one instead. A corpus that does not fill a batch, a loss that
    is not finite or an undefined score gives no value but the reason.
    """
    assert recipe.mirror is not None
    count = len(corpus.strings)
    if count < recipe.mirror.batch_size:
        reason = f"{count} strings, fewer than one batch of {recipe.mirror.batch_size}"
        return CellScore(cell, seed, value=None, reason=reason)
    tuned = replace(loaded, model=deepcopy(loaded.model))
    score = make_score(development, recipe.pooling, recipe.embed_max_length)
    try:
        summary = tune_model(
            tuned,
            corpus.strings,
            recipe.mirror,
            recipe.pooling,
            seed,
            partners=corpus.partners,
            score=score,
        )
        value = score(tuned)
    except UserError as error:
        return CellScore(cell, seed, value=None, reason=str(error))
    return CellScore(cell, seed, value, summary.first_loss, summary.last_loss, steps=summary.steps)
