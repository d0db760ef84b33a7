"""Ids by which blocks of a config name each other: they must be in the config, and fit."""

from workflow_scripts.corpora.kinds.register import check_joined
from workflow_scripts.datasets.entry import DatasetEntry
from workflow_scripts.errors import ConfigError, UserError, nearest_name
from workflow_scripts.plan.typed import Typed
from workflow_scripts.scoring.tasks import register as tasks
from workflow_scripts.tables.document import OWN
from workflow_scripts.tuning.recipe import Recipe


def check_config(typed: Typed) -> None:
    """Check models, corpora, data sets, recipes and papers against each other.

    What cells of tables and figures name is checked by `CellRequests`. Raises `UserError` for the
    first mistake, naming the key, the nearest known name and the remedy.
    """
    for model, block in typed.config.models.items():
        where = f"models.{model}.same_as"
        if block.same_as is not None and typed.named("models", block.same_as, where).same_as:
            raise ConfigError(
                "config",
                where,
                f"is `{block.same_as}`, itself another name",
                "name the model that it stands for",
            )
    for name, entry in typed.datasets.items():
        _check_task(name, entry)
    _check_kept_encoders(typed)
    check_joined(typed.corpora)
    for name in typed.recipes:
        _check_start(typed, name)
        if (development := typed.recipes[name].development) is not None:
            where = f"recipes.{name}.development"
            check_development(typed, development.dataset, where, typed.recipes[name].classifies)
    for kind in ("tables", "figures"):
        for name, block in getattr(typed, kind).items():
            if block.paper not in (OWN, *typed.config.papers):
                raise ConfigError(
                    "config",
                    f"{kind}.{name}.paper",
                    f"is `{block.paper}`, which is not in `papers`",
                    nearest_name(block.paper, typed.config.papers),
                )


def check_development(typed: Typed, dataset: str, where: str, classifies: bool = False) -> None:
    """Raise `UserError` unless the task of a development set has a single score.

    `where` is the block of config that names the set; `classifies` is true of a recipe that trains
    a classifier, which is then scored on classification.
    """
    task = typed.named("datasets", dataset, f"{where}.dataset").task
    if not (classifies and task == "classification"):
        tasks.check_development_task(dataset, task, f"config: `{where}.dataset`")


def check_recipe(typed: Typed, where: str, recipe: str, corpus: str | None) -> Recipe:
    """Return the recipe of an encoder that the block `where` names with its corpus.

    Raises `UserError` for a corpus too many or too few, and for one that the recipe names itself
    and the config lacks: other recipes may name what another config has.
    """
    block: Recipe = typed.named("recipes", recipe, f"{where}.recipe")
    if block.tunes and corpus is None:
        problem = f"is missing: recipe `{recipe}` tunes on one"
        raise ConfigError("config", f"{where}.corpus", problem, "add it")
    if corpus is not None and not block.tunes:
        problem = f"has no use: recipe `{recipe}` does not tune"
        raise ConfigError("config", f"{where}.corpus", problem, "remove the key")
    _check_corpora(typed, recipe)
    return block


def _check_corpora(typed: Typed, recipe: str) -> None:
    block = typed.recipes[recipe]
    for key, corpus in block.corpora().items():
        typed.named("corpora", corpus, f"recipes.{recipe}.{key}")
    if block.start is not None:
        typed.named("corpora", block.start.corpus, f"recipes.{recipe}.start.corpus")
        _check_corpora(typed, block.start.recipe)


def _check_task(name: str, entry: DatasetEntry) -> None:
    """Raise `UserError` unless a data set's task scores the items that its format gives."""
    items = entry.ITEMS.__name__
    fitting = [task for task in tasks.TASKS if items == tasks.task(task).ITEMS]
    # sets that no task scores yet can be read and embedded
    if fitting and entry.task not in fitting:
        raise ConfigError(
            "config",
            f"datasets.{name}.task",
            f"is `{entry.task}`",
            f"format {entry.format} is for task {' or '.join(fitting)}",
        )


def _check_kept_encoders(typed: Typed) -> None:
    """Raise `UserError` for a recipe of `keep_encoders` that makes no encoder."""
    choice, where = typed.config.keep_encoders, "keep_encoders"
    for recipe in () if isinstance(choice, str) else choice:
        if not typed.named("recipes", recipe, where).tunes:
            problem = f"has `{recipe}`, which tunes nothing"
            raise ConfigError("config", where, problem, "remove it")


def _check_start(typed: Typed, name: str) -> None:
    seen = [name]
    while (start := typed.recipes[seen[-1]].start) is not None:
        where = f"recipes.{seen[-1]}.start"
        if not typed.named("recipes", start.recipe, f"{where}.recipe").tunes:
            raise ConfigError(
                "config",
                f"{where}.recipe",
                f"is `{start.recipe}`, which tunes nothing",
                "leave `start` out to begin from the model itself",
            )
        if start.recipe in seen:
            circle = " -> ".join([*seen, start.recipe])
            raise UserError(f"config: `{where}.recipe`", f"circular ({circle})", "break it")
        seen.append(start.recipe)
