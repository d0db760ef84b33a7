"""A merged config as typed blocks: those of every config, and those of plugins chosen by name."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from workflow_scripts.configuration.blocks import FileOf, read_block
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

    def model_id(self, name: str, where: str, remedy: str | None = None) -> str:
        """Return the id of a model, known by that or a second name; `UserError` as `named`."""
        return self.named("models", name, where, remedy).same_as or name

    def corpus_of(self, recipe: str, corpus: str | None) -> str:
        """Return the corpus of an encoder: of a recipe that does not tune that of its start."""
        start = self.recipes[recipe].start
        if corpus is None and start is not None:
            return start.corpus
        return corpus or UNTUNED_CORPUS

    def suite_of(self, dataset: str) -> str:
        """Return the suite of a data set, of a task that is scored."""
        entry = self.datasets[dataset]
        return entry.suite or tasks.default_suite(entry.task)

    def corpora_of(self, encoder: Encoder) -> list[str]:
        """Return the corpora that an encoder is tuned on here, those that it starts from first."""
        corpora: list[str] = []
        for made in self._made_here(encoder):
            recipe = self.recipes[made.recipe]
            corpora += [*([made.corpus] if recipe.tunes else ()), *recipe.corpora().values()]
        return corpora

    def recipes_of(self, encoder: Encoder) -> list[str]:
        """Return the recipes that make an encoder here, those that it starts from first."""
        return [made.recipe for made in self._made_here(encoder)]

    def with_starts(self, encoder: Encoder) -> list[Encoder]:
        """Return an encoder, then the one that it starts from, and so on."""
        chain = [encoder]
        while (start := self.start_of(chain[-1])) is not None:
            chain.append(start)
        return chain

    def _made_here(self, encoder: Encoder) -> list[Encoder]:
        """Return an encoder after those that it starts from, without those trained before."""
        chain = self.with_starts(encoder)
        return [made for made in reversed(chain) if made not in self.trained]

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


def _read_dictionary(name: str, block: Any, file: FileOf) -> DictionaryBlock:
    return read_block(DictionaryBlock, block, f"dictionaries.{name}", file)


# how a block of each section is read
_READERS: dict[str, Callable[[str, Any, FileOf], Any]] = {
    "recipes": read_recipe,
    "corpora": read_corpus_block,
    "datasets": read_entry,
    "tables": read_table,
    "figures": read_figure,
    "dictionaries": _read_dictionary,
}
# keys of the blocks that jobs get: whether one is a paper's matters to tables alone
_READ_BY_NO_STEP: dict[str, tuple[str, ...]] = {
    "recipes": (),
    "corpora": ("paper", "assumed"),
    "datasets": ("suite", "unlike_paper", "assumed", "absent"),
}


def read_typed(layers: Layers) -> Typed:
    """Return the config of `layers`, checked block by block.

    Raises `UserError`, one line, for the first mistake: file, key and remedy. What names other
    blocks is checked by those that follow the names (`plan.cell_requests`, `plan.checks`).
    """
    refuse_suites(layers.config, layers.file_of)
    config = read_block(Config, layers.config, file=layers.file_to_fix)
    file = layers.file_to_fix
    blocks = {section: getattr(config, section) for section in _READERS}
    blocks["recipes"] = resolve_likes(config.recipes)
    typed = {
        section: {name: read(name, block, file) for name, block in blocks[section].items()}
        for section, read in _READERS.items()
    }
    grid = config.tuning_grid
    entries = _holding(layers, config.trained_encoders)
    return Typed(
        config=config,
        **typed,
        grid=read_block(TuningGrid, grid, "tuning_grid", file) if grid else None,
        blocks={
            section: {
                name: {key: value for key, value in block.items() if key not in left_out}
                for name, block in blocks[section].items()
            }
            for section, left_out in _READ_BY_NO_STEP.items()
        },
        added_recipes=frozenset(blocks["recipes"]) - _shipped_recipes(layers, blocks["recipes"]),
        trained=read_trained_encoders(entries, config.models, typed["recipes"], config.corpora),
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
