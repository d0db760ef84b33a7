"""The score of one cell: the model is tuned anew and scored on the development set."""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel, load_model
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.scoring.suite_scores import score_datasets
from workflow_scripts.scoring.tidy_scores import EncoderIds
from workflow_scripts.tuning.mirror_tuning import tune_model
from workflow_scripts.tuning.recipes import Recipe
from workflow_scripts.tuning_grid.slice_scores import CellScore


@dataclass(frozen=True)
class DevelopmentSet:
    """The data set to score on: `entry` is its block of items.json, `strings` those of the suite.

    `linking_similarity` ("dot" or "cosine") is for entity linking, None else.
    """

    dataset: str
    entry: dict[str, Any]
    strings: list[str]
    linking_similarity: str | None = None
    threads: int = 1

    def score(self, vectors: np.ndarray, encoder: EncoderIds) -> float:
        """Return Spearman's correlation or accuracy@1 of vectors [number of strings, D].

        Raises `UserError` where it is undefined, and for vectors that are not finite.
        """
        if not np.isfinite(vectors).all():
            raise UserError(
                "the tuned model gives vectors that are not finite; lower learning_rate"
            )
        links = None
        if self.entry["task"] == "entity-linking":
            # Only now: FAISS is for this task alone.
            from workflow_scripts.retrieval.entity_links import rank_names

            links = rank_names(
                vectors,
                self.entry,
                self.dataset,
                1,
                self.linking_similarity or "dot",
                threads=self.threads,
            )
        (score,) = score_datasets(encoder, {self.dataset: self.entry}, vectors, links, (1,))
        return score.value


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
    vectors = encode_strings(loaded, development.strings, recipe.pooling, recipe.embed_max_length)
    encoder = EncoderIds(loaded.name, recipe.name, "none", 0)
    return CellScore(cell=None, seed=0, value=development.score(vectors, encoder))


def score_cell(
    loaded: LoadedModel,
    cell: int,
    recipe: Recipe,
    strings: list[str],
    development: DevelopmentSet,
    seed: int,
) -> CellScore:
    """Return the score of a cell: `loaded` tuned by `recipe` on `strings` with `seed`.

    A copy is tuned, so that weights and dropout rates of `loaded` stay as they came. A corpus that
    does not fill a batch, a loss that is not finite or an undefined score gives no value but the
    reason.
    """
    assert recipe.mirror is not None
    if len(strings) < recipe.mirror.batch_size:
        reason = f"{len(strings)} strings, fewer than one batch of {recipe.mirror.batch_size}"
        return CellScore(cell, seed, value=None, reason=reason)
    tuned = replace(loaded, model=deepcopy(loaded.model))
    try:
        summary = tune_model(tuned, strings, recipe.mirror, recipe.pooling, seed)
        vectors = encode_strings(
            tuned, development.strings, recipe.pooling, recipe.embed_max_length
        )
        value = development.score(vectors, EncoderIds(loaded.name, recipe.name, "corpus", seed))
    except UserError as error:
        return CellScore(cell, seed, value=None, reason=str(error))
    return CellScore(cell, seed, value, summary.first_loss, summary.last_loss, steps=summary.steps)
