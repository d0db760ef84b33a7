"""What the rules of dictionaries get of the config: files, and the words of commands."""

from functools import cached_property
from pathlib import Path
from typing import Any

from workflow_scripts.canonical import canonical
from workflow_scripts.errors import ConfigError, UserError
from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.encoders import UNTUNED_CORPUS, Encoder
from workflow_scripts.plan.fetched import Downloads
from workflow_scripts.plan.rule_inputs import RuleInputs
from workflow_scripts.plan.stopping import stop
from workflow_scripts.retrieval.dictionary_block import DictionaryBlock, NamesFile
from workflow_scripts.retrieval.shard_rankings import shard_files


def read_encoder(cells: Cells, downloads: Downloads, name: str) -> Encoder:
    """Return the encoder of a dictionary whose ids and files are all there.

    Raises `UserError` that names the key for an unknown model, recipe or corpus (with the nearest
    known name), for a corpus too many or too few, and for a missing file.
    """
    typed, availability, block = cells.typed, cells.availability, cells.typed.dictionaries[name]
    where, own = f"dictionaries.{name}", block.encoder
    model = typed.named("models", own.model, f"{where}.encoder.model").same_as or own.model
    recipe = typed.named("recipes", own.recipe, f"{where}.encoder.recipe")
    if typed.models[model].vectors is not None:
        raise ConfigError(
            "config",
            f"{where}.encoder.model",
            f"is `{own.model}`, a file of word vectors",
            "give a model that embeds whole names",
        )
    if recipe.tunes and own.corpus is None:
        raise ConfigError(
            "config",
            f"{where}.encoder.corpus",
            f"is missing: recipe `{own.recipe}` tunes on one",
            "add it",
        )
    if not recipe.tunes and own.corpus is not None:
        raise ConfigError(
            "config",
            f"{where}.encoder.corpus",
            f"has no use: recipe `{own.recipe}` does not tune",
            "remove the key",
        )
    if own.corpus is not None:
        typed.named("corpora", own.corpus, f"{where}.encoder.corpus")
    cells.requests.check_corpora(own.recipe)
    corpus = own.corpus or UNTUNED_CORPUS
    if recipe.start is not None and not recipe.tunes:
        corpus = recipe.start.corpus
    seeds = typed.seeds(own.recipe, None if own.seed is None else [own.seed])
    encoder = Encoder(model, own.recipe, corpus, seeds[0])
    cells.models.require_files(model)
    for training_corpus in typed.corpora_of(encoder):
        availability.require_corpus(training_corpus)
    for recipe_name in typed.recipes_of(own.recipe):
        if (development := typed.recipes[recipe_name].development) is not None:
            availability.require_dataset(development.dataset)
    files = {f"{where}.names.{file_id}.path": file.path for file_id, file in block.names.items()}
    paths = {key: availability.root / file for key, file in files.items()}
    paths[f"{where}.mentions"] = availability.root / block.mentions
    for key, path in paths.items():
        if availability.raw.missing([path]):
            raise UserError(path, "no such file", f"put it there or change `{key}`")
    downloads.require(cells.models, [model], availability.raw.downloads_of(paths.values()))
    return encoder


class Dictionaries:
    """The `dictionaries` block of config; nothing is checked before a rule asks for it.

    Where the config has a mistake all methods print one line and end the run, as `make_plan` does.
    """

    def __init__(self, cells: Cells, rule_inputs: RuleInputs, downloads: Downloads) -> None:
        self._cells, self._rule_inputs, self._downloads = cells, rule_inputs, downloads
        self._blocks = cells.typed.dictionaries
        self._raw, self._root = cells.availability.raw, cells.availability.root
        self._encoders: dict[str, Encoder] = {}
        self._results = cells.typed.config.results

    @cached_property
    def shards(self) -> dict[str, int]:
        """Return how many shards a file of each dictionary is split into."""
        return {name: block.shards for name, block in self._blocks.items()}

    @property
    def files(self) -> set[str]:
        """Return the ids of the files of all dictionaries."""
        return {file for block in self._blocks.values() for file in block.names}

    def links(self) -> list[str]:
        """Return the files of the target: the links of each dictionary."""
        if not self.shards:
            stop(ConfigError("config", "dictionaries", "is empty", "add one (docs/cluster.md)"))
        return [f"{self.folder(name)}/links.tsv" for name in self.shards if self._encoder(name)]

    def rankings(self, name: str) -> list[str]:
        """Return the rankings of all shards of all files."""
        folders = [Path(self.folder(name, "rankings", file)) for file in self.names(name)]
        shards = self.shards[name]
        return [str(path) for folder in folders for path in shard_files(folder, shards)]

    def folder(self, name: str, *parts: str) -> str:
        """Return a folder of the results of a dictionary."""
        return "/".join([self._results, "dictionaries", name, *parts])

    def index_folder(self, wildcards: Any) -> str:
        """Return the folder of the index of a shard."""
        parts = (wildcards.dictionary, "indices", wildcards.file, wildcards.shard)
        return self.folder(*parts)

    def names(self, name: str) -> list[str]:
        """Return the ids of the files of a dictionary, in order."""
        return list(self._block(name).names)

    def names_path(self, name: str, file: str) -> str:
        return str(self._root / self._file(name, file).path)

    def names_input(self, name: str, file: str) -> list[str]:
        """Return what the shards of a file depend on: the file, or its download."""
        return self._raw.inputs([Path(self.names_path(name, file))])

    def names_choices(self, name: str, file: str) -> str:
        """Return how a file is read, the fields of `name_lists.Choices`."""
        choices = self._file(name, file).model_dump(exclude={"path", "format"})
        form, lower_case = self._file(name, file).format, self._block(name).lower_case
        return canonical({**choices, "form": form, "lower_case": lower_case})

    def encoder_input(self, name: str) -> list[str]:
        return self._rule_inputs.files(self._encoder(name))

    def encoder_words(self, name: str) -> list[str]:
        encoder = self._encoder(name)
        words = ["--encoder", self._rule_inputs.location(encoder)]
        words += ["--settings", self._rule_inputs.settings(encoder.recipe)]
        return [*words, "--similarity", self._block(name).similarity]

    def mentions_input(self, name: str) -> list[str]:
        return self._raw.inputs([self._root / self._block(name).mentions])

    def mentions_words(self, name: str) -> list[str]:
        block = self._block(name)
        lower_case = ["--lower-case"] if block.lower_case else []
        words = ["--mentions", str(self._root / block.mentions), *lower_case]
        return [*words, *_options(block, "mention_column", "gold_column")]

    def links_words(self, name: str) -> list[str]:
        return _options(self._block(name), "k", "threshold", "margin")

    def value(self, name: str, key: str) -> Any:
        return getattr(self._block(name), key)

    def _encoder(self, name: str) -> Encoder:
        if name not in self._encoders:
            try:
                self._encoders[name] = read_encoder(self._cells, self._downloads, name)
            except UserError as error:
                stop(error)
        return self._encoders[name]

    def _block(self, name: str) -> DictionaryBlock:
        self._encoder(name)  # checked
        return self._blocks[name]

    def _file(self, name: str, file: str) -> NamesFile:
        return self._block(name).names[file]


def _options(block: DictionaryBlock, *keys: str) -> list[str]:
    """Return options of a command for the keys that have a value."""
    values = {key: getattr(block, key) for key in keys}
    # a value may begin with a minus
    return [
        f"--{key.replace('_', '-')}={value}" for key, value in values.items() if value is not None
    ]
