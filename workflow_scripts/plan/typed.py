"""A merged config as typed blocks: those of every config, and those of plugins chosen by name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from workflow_scripts.configuration.blocks import read_block
from workflow_scripts.configuration.config import Config, Model, TrainedEncoder
from workflow_scripts.configuration.former_suites import refuse_suites
from workflow_scripts.configuration.layers import CONFIG, Layers
from workflow_scripts.corpora.block import CorpusBlock
from workflow_scripts.corpora.kinds.register import read_corpus_block
from workflow_scripts.datasets.entry import DatasetEntry
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.errors import ConfigError, nearest_name
from workflow_scripts.figures.kinds.register import FigureBlock, read_figure
from workflow_scripts.plan.encoders import UNTUNED_CORPUS, Encoder
from workflow_scripts.plan.trained_encoders import Trained, read_trained_encoders
from workflow_scripts.retrieval.dictionary_block import DictionaryBlock
from workflow_scripts.scoring.tasks import register as tasks
from workflow_scripts.tables.kinds.register import TableBlock, read_table
from workflow_scripts.tuning.methods.register import read_recipe
from workflow_scripts.tuning.recipe import Recipe, resolve_likes
from workflow_scripts.tuning_grid.config import TuningGrid


@dataclass(frozen=True)
class Typed:
    """A checked config. `blocks` has recipes, corpora and datasets as jobs get them."""

    config: Config
    recipes: dict[str, Recipe]
    corpora: dict[str, CorpusBlock]
    datasets: dict[str, DatasetEntry]
    tables: dict[str, TableBlock]
    figures: dict[str, FigureBlock]
    grid: TuningGrid | None
    dictionaries: dict[str, DictionaryBlock]
    blocks: dict[str, dict[str, Any]]
    # that a config of the user's own adds to the shipped ones, which have `keep_encoders`
    added_recipes: frozenset[str] = frozenset()
    # encoders that are read from a folder and not trained here
    trained: Mapping[Encoder, Trained] = field(default_factory=dict)

    @cached_property
    def models(self) -> dict[str, Model]:
        """The models by id, those that are absent after the others."""
        models = dict(self.config.models)
        for group in self.config.absent_models:
            for model in group.models:
                models.setdefault(model, Model(absent=group.reason))
        return models

    def named(self, kind: str, name: str, where: str, remedy: str | None = None) -> Any:
        """Return the block `name` of a kind ("models", "recipes", "datasets", ...).

        Raises `UserError` that names the key `where` and the `remedy`, or else the nearest known
        name, for an unknown one.
        """
        blocks = getattr(self, kind)
        if name not in blocks:
            raise ConfigError(
                "config",
                where,
                f"is `{name}`, which is not in `{kind}`",
                remedy or nearest_name(name, blocks),
            )
        return blocks[name]

    def suite_of(self, dataset: str) -> str:
        """Return the suite of a data set, of a task that is scored."""
        entry = self.datasets[dataset]
        return entry.suite or tasks.default_suite(entry.task)

    def corpora_of(self, encoder: Encoder) -> list[str]:
        """Return the corpora that an encoder is tuned on here, those that it starts from first."""
        if encoder.corpus == UNTUNED_CORPUS:
            return []
        corpora: list[str] = []
        for made in reversed(self._made_here(encoder)):
            recipe = self.recipes[made.recipe]
            corpora += [*([made.corpus] if recipe.tunes else ()), *recipe.corpora().values()]
        return corpora

    def recipes_of(self, encoder: Encoder) -> list[str]:
        """Return the recipes that make an encoder here, those that it starts from first."""
        return [made.recipe for made in reversed(self._made_here(encoder))]

    def with_starts(self, encoder: Encoder) -> list[Encoder]:
        """Return an encoder, then the one that it starts from, and so on."""
        chain = [encoder]
        while (start := self.start_of(chain[-1])) is not None:
            chain.append(start)
        return chain

    def _made_here(self, encoder: Encoder) -> list[Encoder]:
        return [made for made in self.with_starts(encoder) if made not in self.trained]

    def start_of(self, encoder: Encoder) -> Encoder | None:
        """Return the encoder that another's tuning starts from; None where that is the model."""
        start = self.recipes[encoder.recipe].start
        if start is None or encoder in self.trained:
            return None
        return encoder._replace(recipe=start.recipe, corpus=start.corpus)

    def is_trained_here(self, encoder: Encoder) -> bool:
        """Return whether a job of this run tunes an encoder."""
        return self.recipes[encoder.recipe].tunes and encoder not in self.trained

    def seeds(self, recipe: str, own: list[int] | None = None) -> list[int]:
        """Return the seeds of a recipe's encoders: 0 where it does not tune.

        Else those of the config, or its `own` where a table has some.
        """
        return (own or self.config.seeds) if self.is_tuned(recipe) else [0]

    def is_tuned(self, recipe: str) -> bool:
        """Return whether a recipe tunes, or reads the encoder of one that does."""
        return self.recipes[recipe].tunes or self.recipes[recipe].start is not None


def read_typed(layers: Layers) -> Typed:
    """Return the config of `layers`, checked block by block.

    Raises `UserError`, one line, for the first mistake: file, key and remedy. What names other
    blocks is checked by those that follow the names (`plan.cell_requests`, `plan.checks`).
    """
    refuse_suites(layers.config, layers.file_of)
    config = read_block(Config, layers.config, file=layers.file_to_fix)
    recipes = resolve_likes(config.recipes)
    read_recipes = {
        name: read_recipe(name, block, layers.file_to_fix) for name, block in recipes.items()
    }
    corpora, datasets, file = config.corpora, config.datasets, layers.file_to_fix
    return Typed(
        config=config,
        recipes=read_recipes,
        corpora={name: read_corpus_block(name, block, file) for name, block in corpora.items()},
        datasets={name: read_entry(name, block, file) for name, block in datasets.items()},
        tables={name: read_table(name, block, file) for name, block in config.tables.items()},
        figures={name: read_figure(name, block, file) for name, block in config.figures.items()},
        grid=read_block(TuningGrid, config.tuning_grid, "tuning_grid", file)
        if config.tuning_grid
        else None,
        dictionaries={
            name: read_block(DictionaryBlock, block, f"dictionaries.{name}", file)
            for name, block in config.dictionaries.items()
        },
        blocks={
            "recipes": recipes,
            # whether a block is a paper's matters to tables alone: no step depends on it
            "corpora": {
                name: _without(block, "paper", "assumed") for name, block in corpora.items()
            },
            "datasets": {
                name: _without(block, "suite", "unlike_paper", "assumed", "absent")
                for name, block in datasets.items()
            },
        },
        added_recipes=frozenset(recipes) - _shipped_recipes(layers, recipes),
        trained=read_trained_encoders(
            _holding(layers, config.trained_encoders),
            config.models,
            read_recipes,
            config.corpora,
        ),
    )


def _holding(layers: Layers, entries: list[TrainedEncoder]) -> list[TrainedEncoder]:
    """Return the entries of `trained_encoders` that hold: all, where the user wrote them.

    The shipped ones hold while no config of the user's own sets their model, recipe or corpus, the
    data or the seeds: who does wants an encoder of their own.
    """
    if not _is_shipped(layers, "trained_encoders"):
        return entries
    own = {path[:2] for path, file in layers.files.items() if not _is_in_shipped_config(file)}
    return [
        entry
        for entry in entries
        if not own
        & {
            ("models", entry.model),
            ("recipes", entry.recipe),
            ("corpora", entry.corpus),
            *(("seeds",), ("data", "root")),
        }
    ]


def _is_in_shipped_config(file: str) -> bool:
    return Path(file).resolve().is_relative_to(CONFIG)


def _is_shipped(layers: Layers, *path: str) -> bool:
    return _is_in_shipped_config(layers.file_of(path))


def _shipped_recipes(layers: Layers, recipes: Iterable[str]) -> set[str]:
    """Return the recipes of the same configs as `keep_encoders`: all, where the user says that."""
    if not _is_shipped(layers, "keep_encoders"):
        return set(recipes)
    return {name for name in recipes if _is_shipped(layers, "recipes", name)}


def _without(block: dict[str, Any], *marks: str) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key not in marks}
