"""What the rules of dictionaries get of the config: files, and the words of commands."""

from pathlib import Path
from typing import Any

from workflow_scripts.canonical import canonical
from workflow_scripts.datasets.mrconso import semantic_types_file
from workflow_scripts.errors import ConfigError, UserError
from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.checks import check_recipe
from workflow_scripts.plan.encoders import Encoder
from workflow_scripts.plan.fetched import Downloads
from workflow_scripts.plan.rule_inputs import RuleInputs
from workflow_scripts.plan.stopping import mistakes_end_the_run
from workflow_scripts.retrieval.dictionary_block import DictionaryBlock, NamesFile
from workflow_scripts.retrieval.shard_rankings import shard_files


def read_encoder(cells: Cells, downloads: Downloads, name: str) -> Encoder:
    """Return the encoder of a dictionary whose ids and files are all there.

    Raises `UserError` that names the key for an unknown model, recipe or corpus (with the nearest
    known name), for a corpus too many or too few, and for a missing file.
    """
    typed, availability, block = cells.typed, cells.availability, cells.typed.dictionaries[name]
    where, own = f"dictionaries.{name}", block.encoder
    model = typed.model_id(own.model, f"{where}.encoder.model")
    check_recipe(typed, f"{where}.encoder", own.recipe, own.corpus)
    if typed.models[model].vectors is not None:
        problem = f"is `{own.model}`, a file of word vectors"
        remedy = "give a model that embeds whole names"
        raise ConfigError("config", f"{where}.encoder.model", problem, remedy)
    if own.corpus is not None:
        typed.named("corpora", own.corpus, f"{where}.encoder.corpus")
    seeds = typed.seeds(own.recipe, None if own.seed is None else [own.seed])
    corpus = typed.corpus_of(own.recipe, own.corpus)
    encoder = Encoder(model, own.recipe, corpus, seeds[0])
    cells.models.require_files(model)
    for training_corpus in typed.corpora_of(encoder):
        availability.require_corpus(training_corpus)
    for dataset in sorted(cells.requests.development_sets(typed.with_starts(encoder))):
        availability.require_dataset(dataset)
    files = {f"{where}.names.{file_id}.path": file.path for file_id, file in block.names.items()}
    paths = {key: availability.root / file for key, file in files.items()}
    paths[f"{where}.mentions"] = availability.root / block.mentions
    for key, path in paths.items():
        if availability.raw.missing([path]):
            raise UserError(path, "no such file", f"put the file there or change `{key}`")
    downloads.require(cells.models, [model], availability.raw.downloads_of(paths.values()))
    return encoder


class Dictionaries:
    """The `dictionaries` block of config; nothing is checked before a rule asks for it.

    Most methods take the wildcards of a rule. Where the config has a mistake they print one line
    and end the run, as `make_plan` does.
    """

    def __init__(self, cells: Cells, rule_inputs: RuleInputs, downloads: Downloads) -> None:
        self._cells, self._rule_inputs, self._downloads = cells, rule_inputs, downloads
        self._blocks = cells.typed.dictionaries
        self._raw, self._root = cells.availability.raw, cells.availability.root
        self._encoders: dict[str, Encoder] = {}
        self._results = cells.typed.config.results

    @property
    def files(self) -> set[str]:
        """Return the ids of the files of all dictionaries."""
        return {file for block in self._blocks.values() for file in block.names}

    @property
    def names(self) -> list[str]:
        """Return the ids of the dictionaries."""
        return list(self._blocks)

    @mistakes_end_the_run()
    def links(self, _: Any) -> list[str]:
        """Return the files of the target: the links of each dictionary."""
        if not self._blocks:
            remedy = "add one (docs/howto/run-on-a-cluster.md)"
            raise ConfigError("config", "dictionaries", "is empty", remedy)
        return [f"{self._folder(name)}/links.tsv" for name in self.names if self._encoder(name)]

    # ---- the names of a file and their shards ---------------------------------------------------

    def names_path(self, wildcards: Any) -> str:
        return str(self._root / self._file(wildcards).path)

    @mistakes_end_the_run()
    def names_input(self, wildcards: Any) -> list[str]:
        """Return what the names of a file depend on: the file, or its download.

        If semantic types choose among the names, also the MRSTY.RRF next to the file.
        """
        paths = [Path(self.names_path(wildcards))]
        if self._file(wildcards).semantic_types:
            paths.append(semantic_types_file(paths[0]))
        return self._raw.inputs(paths)

    def names_choices(self, wildcards: Any) -> str:
        """Return how a file is read, the fields of `name_lists.Choices`."""
        file, lower_case = self._file(wildcards), self.block(wildcards).lower_case
        choices = file.model_dump(exclude={"path", "format"}, exclude_none=True)
        return canonical({**choices, "form": file.format, "lower_case": lower_case})

    def index(self, wildcards: Any) -> str:
        """Return the folder of the index of a shard."""
        parts = ("indices", wildcards.file, wildcards.shard)
        return self._folder(wildcards.dictionary, *parts)

    def rankings(self, wildcards: Any) -> list[str]:
        """Return the rankings of all shards of all files."""
        block, folder = self.block(wildcards), Path(self.rankings_folder(wildcards))
        return [
            str(path) for file in block.names for path in shard_files(folder / file, block.shards)
        ]

    def rankings_folder(self, wildcards: Any) -> str:
        return self._folder(wildcards.dictionary, "rankings")

    # ---- the encoder, mentions and links --------------------------------------------------------

    def encoder_input(self, wildcards: Any) -> list[str]:
        return self._rule_inputs.files(self._encoder(wildcards.dictionary))

    def encoder_words(self, wildcards: Any) -> list[str]:
        encoder = self._encoder(wildcards.dictionary)
        words = ["--encoder", self._rule_inputs.location(encoder)]
        words += ["--settings", self._rule_inputs.settings(encoder.recipe)]
        return [*words, "--similarity", self.block(wildcards).similarity]

    def mentions_input(self, wildcards: Any) -> list[str]:
        return self._raw.inputs([self._root / self.block(wildcards).mentions])

    def mentions_words(self, wildcards: Any) -> list[str]:
        block = self.block(wildcards)
        lower_case = ["--lower-case"] if block.lower_case else []
        words = ["--mentions", str(self._root / block.mentions), *lower_case]
        return [*words, *_options(block, "mention_column", "gold_column", "document_column")]

    def links_words(self, wildcards: Any) -> list[str]:
        return _options(self.block(wildcards), "k", "threshold", "margin")

    def block(self, wildcards: Any) -> DictionaryBlock:
        self._encoder(wildcards.dictionary)  # checked
        return self._blocks[wildcards.dictionary]

    def _file(self, wildcards: Any) -> NamesFile:
        return self.block(wildcards).names[wildcards.file]

    def _folder(self, name: str, *parts: str) -> str:
        return "/".join([self._results, "dictionaries", name, *parts])

    @mistakes_end_the_run()
    def _encoder(self, name: str) -> Encoder:
        if name not in self._encoders:
            self._encoders[name] = read_encoder(self._cells, self._downloads, name)
        return self._encoders[name]


def _options(block: DictionaryBlock, *keys: str) -> list[str]:
    """Return options of a command for the keys that have a value."""
    values = {key: getattr(block, key) for key in keys}
    # a value may begin with a minus
    return [
        f"--{key.replace('_', '-')}={value}" for key, value in values.items() if value is not None
    ]
