"""What each rule gets: inputs, params and the values of its wildcards."""

import inspect
import re
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from workflow_scripts.canonical import canonical
from workflow_scripts.datasets.entry import COLUMNS, DatasetEntry
from workflow_scripts.errors import UserError
from workflow_scripts.plan.availability import Availability
from workflow_scripts.plan.cell_requests import CellRequests
from workflow_scripts.plan.encoders import UNTUNED_CORPUS, Encoder
from workflow_scripts.plan.models import Models
from workflow_scripts.plan.typed import Typed
from workflow_scripts.plugins import module_of
from workflow_scripts.scoring.tasks import register as tasks
from workflow_scripts.sources import PACKAGE

_IDS = "model source_model target_model recipe corpus source_corpus target_corpus suite dataset"
# what wildcards match; ids joined by "--" would be taken for the two sides of a lexicon pair
WILDCARDS = {
    **dict.fromkeys([*_IDS.split(), "search"], r"[a-z0-9]+([-_.][a-z0-9]+)*"),
    **dict.fromkeys(("seed", "slice"), r"[0-9]+"),
}


@cache
def _reader(kind: type[DatasetEntry]) -> tuple[list[str], str]:
    """Return the modules that read a format, and the hash of its class if that is in columns.py.

    That file is not among them: it has many formats, and a suite depends on its own.
    """
    columns = f"{PACKAGE}.{module_of('datasets.formats', COLUMNS)}"
    found = [one for one in kind.__mro__ if one.__module__.startswith(f"{PACKAGE}.")]
    code = "".join(inspect.getsource(one) for one in found if one.__module__ == columns)
    digest = sha256(code.encode()).hexdigest() if code else ""
    modules = {one.__module__ for one in found} - {columns}
    return sorted(one.removeprefix(f"{PACKAGE}.") for one in modules), digest


class RuleInputs:
    """What rules ask for. Every method is a function of the config (and of which files exist).

    So a rule's params come from `wildcards` alone. Blocks of config are canonical JSON.
    """

    def __init__(
        self, typed: Typed, requests: CellRequests, availability: Availability, models: Models
    ) -> None:
        self._typed = typed
        self._requests = requests
        self._availability = availability
        self.models = models
        self.config = typed.config
        self.results = typed.config.results

    # ---- values of wildcards --------------------------------------------------------------------

    def neural_models(self) -> str:
        """Return the ids of the models that are no word vectors as a regular expression."""
        return alternatives(set(self._typed.models) - set(self.models.static))

    def tuning_recipes(self) -> str:
        """Return the ids of the recipes that tune as a regular expression."""
        return alternatives(name for name, one in self._typed.recipes.items() if one.tunes)

    # ---- resources ------------------------------------------------------------------------------

    @property
    def gpus(self) -> int:
        """GPUs that a job of embedding asks for."""
        return 0 if self.config.device == "cpu" else 1

    @property
    def tuning_launcher(self) -> list[str]:
        """The words that start a module for tuning, in one process or by accelerate in several."""
        if self.config.processes.tuning == 1:
            return ["python", "-m"]
        place = "--cpu" if self.config.device == "cpu" else "--multi_gpu"
        words = [place, "--num_processes", str(self.config.processes.tuning), "--num_machines", "1"]
        # said, so that a config of accelerate's own in the home folder changes nothing
        words += ["--mixed_precision", "no", "--dynamo_backend", "no"]
        # a free one, since several jobs can run side by side
        words += ["--main_process_port", "0"]
        return ["accelerate", "launch", *words, "--module"]

    # ---- corpora --------------------------------------------------------------------------------

    def block(self, kind: str, name: str) -> str:
        """Return the block of a corpus ("corpora") or recipe ("recipes")."""
        return canonical(self._typed.blocks[kind][name])

    def corpus_module(self, corpus: str) -> str:
        return module_of("corpora.kinds", self._typed.corpora[corpus].kind)

    def corpora(self) -> list[str]:
        """Return the corpora that can be made."""
        return [name for name, block in self._typed.corpora.items() if block.absent() is None]

    def corpus_inputs(self, corpus: str) -> list[str]:
        """Return what a corpus is made from: raw files (or their downloads), or other corpora."""
        block = self._typed.corpora[corpus]
        if block.corpora():
            return [self.corpus_file(other) for other in block.corpora()]
        return self._availability.raw.inputs(self._availability.corpus_files(corpus))

    def corpus_file(self, corpus: str) -> str:
        return f"{self.results}/corpora/{corpus}.txt"

    def corpus_root(self, corpus: str) -> str:
        """Return the folder that a corpus is read from: the data root, or that of the corpora."""
        made_of_others = self._typed.corpora[corpus].corpora()
        return f"{self.results}/corpora" if made_of_others else self.config.data.root

    # ---- suites ---------------------------------------------------------------------------------

    def suite_block(self, suite: str) -> str:
        """Return the entries of a suite, with its language where it has one."""
        blocks = self._typed.blocks["datasets"]
        names = self._availability.suite_datasets(suite)
        block: dict[str, Any] = {"datasets": {name: blocks[name] for name in names}}
        if (language := self.config.suites[suite].language) is not None:
            block["language"] = language
        return canonical(block)

    def suite_inputs(self, suite: str) -> list[str]:
        """Return what the data sets of a suite are read from, sorted: raw files and corpora."""
        names = self._availability.suite_datasets(suite)
        raw = [file for name in names for file in self._availability.dataset_files(name)]
        corpora = {self.corpus_file(c) for n in names for c in self._typed.datasets[n].corpora()}
        return sorted({*self._availability.raw.inputs(raw), *corpora})

    def suite_file(self, suite: str, file: str) -> str:
        """Return a file (`strings.txt` or `items.json`) of a suite."""
        return f"{self.results}/datasets/{suite}/{file}"

    def suite_modules(self, suite: str) -> list[str]:
        """Return the modules that read a suite's data sets."""
        return sorted({one for kind in self._formats(suite).values() for one in _reader(kind)[0]})

    def suite_declarations(self, suite: str) -> str:
        """Return the hashes of the classes of columns.py that read a suite's data sets."""
        codes = {form: _reader(kind)[1] for form, kind in self._formats(suite).items()}
        return canonical({form: code for form, code in codes.items() if code})

    def _formats(self, suite: str) -> dict[str, type[DatasetEntry]]:
        entries = [self._typed.datasets[name] for name in self._availability.suite_datasets(suite)]
        return {entry.format: type(entry) for entry in entries}

    def suite_tasks(self, suite: str) -> list[str]:
        """Return the tasks of a suite's data sets that are scored, sorted."""
        found = {
            self._typed.datasets[name].task for name in self._availability.suite_datasets(suite)
        }
        return sorted(found & set(tasks.TASKS))

    def task_modules(self, suite: str) -> list[str]:
        """Return the modules of the tasks of a suite's data sets that `score_suite` scores."""
        scored = [t for t in self.suite_tasks(suite) if not tasks.needs(t, "translations")]
        return [module_of("scoring.tasks", task) for task in scored]

    # ---- encoders -------------------------------------------------------------------------------

    def settings(self, recipe: str) -> str:
        """Return the settings by which encoders of a recipe embed, as JSON."""
        return canonical(self._typed.recipes[recipe].settings.as_record())

    def method_modules(self, recipe: str) -> list[str]:
        return [module_of("tuning.methods", self._typed.recipes[recipe].method)]

    def encoder(self, wildcards: Any) -> Encoder:
        """Return the encoder that a job tunes, embeds with or scores."""
        return Encoder(wildcards.model, wildcards.recipe, wildcards.corpus, int(wildcards.seed))

    def start(self, wildcards: Any) -> Encoder:
        """Return what a tuning begins from: the untuned model, or the encoder of `start`."""
        encoder = self.encoder(wildcards)
        return self._requests.start_of(encoder) or encoder._replace(corpus=UNTUNED_CORPUS)

    def files(self, encoder: Encoder) -> list[str]:
        """Return the files that stand for an encoder: its record, or those of the untuned model."""
        encoder = self._read(encoder)
        if encoder.corpus == UNTUNED_CORPUS:
            return self.models.files(encoder.model)
        return [f"{self.location(encoder)}/encoder.json"]

    def location(self, encoder: Encoder) -> str:
        """Return what to load an encoder from: its folder, or the untuned model."""
        encoder = self._read(encoder)
        if encoder.corpus == UNTUNED_CORPUS:
            return self.models.location(encoder.model)
        return f"{self.results}/encoders/{encoder}"

    def _read(self, encoder: Encoder) -> Encoder:
        """Return the encoder whose folder is read: of a recipe that does not tune, its start's."""
        if self._typed.recipes[encoder.recipe].tunes:
            return encoder
        return self._requests.start_of(encoder) or encoder

    def more_corpora(self, recipe: str) -> list[str]:
        """Return the corpora that a recipe takes beside that of its encoder."""
        return list(map(self.corpus_file, self._typed.recipes[recipe].corpora().values()))

    def development_files(self, recipe: str) -> list[str]:
        """Return strings and items of a recipe's development set; none without one."""
        if (development := self._typed.recipes[recipe].development) is None:
            return []
        return [self.suite_file(development.suite, file) for file in ("strings.txt", "items.json")]

    def development_modules(self, recipe: str) -> list[str]:
        """Return the modules that score a recipe's development set; none without one."""
        if (development := self._typed.recipes[recipe].development) is None:
            return []
        task = self._typed.datasets[development.dataset].task
        return ["scoring.development_scores", module_of("scoring.tasks", task)]

    def linking_of_development(self, recipe: str) -> str:
        """Return by what names are ranked for a recipe's development set, none for another task."""
        development = self._typed.recipes[recipe].development
        if development is None:
            return "none"
        task = self._typed.datasets[development.dataset].task
        return self.config.retrieval.linking.similarity if tasks.needs(task, "links") else "none"

    def static_inputs(self, model: str) -> list[str]:
        """Return what embedding with a static model depends on: its file (or its download)."""
        vectors = self.models.vectors(model)
        assert vectors is not None
        return self._availability.raw.inputs([Path(vectors)])

    # ---- retrieval and scoring ------------------------------------------------------------------

    def own_classifier(self, wildcards: Any) -> list[str]:
        """Return the record of an encoder that was trained with a classifier; none for others."""
        classifies = self._typed.recipes[wildcards.recipe].classifies
        return self.files(self.encoder(wildcards)) if classifies else []

    def classifier(self, wildcards: Any) -> list[str]:
        """Return the words that say how test texts are classified: the protocol, or by whose."""
        if not self.own_classifier(wildcards):
            return ["--protocol", self.config.classification.protocol]
        return ["--classifier", self.location(self.encoder(wildcards))]

    def needed_for_scoring(self, wildcards: Any, need: str) -> list[str]:
        """Return the file that scoring a suite `need`s made first; none where no task does.

        `links` are ranked names, `predictions` those of classifiers.
        """
        if not any(tasks.needs(task, need) for task in self.suite_tasks(wildcards.suite)):
            return []
        section = {"links": "retrieval", "predictions": "predictions"}[need]
        return [f"{self.results}/{section}/{self.encoder(wildcards)}/{wildcards.suite}.tsv"]

    def lexicon_side(self, wildcards: Any, side: str) -> tuple[str, str]:
        """Return vectors and items of one side ("source", "target") of a lexicon pair."""
        sides, seed = ("source", "target"), int(wildcards.seed)
        encoders = [
            Encoder(wildcards[f"{one}_model"], wildcards.recipe, wildcards[f"{one}_corpus"], seed)
            for one in sides
        ]
        number = sides.index(side)
        suite = self.embedded_suites(wildcards.dataset, encoders)[number]
        vectors = f"{self.results}/embeddings/{encoders[number]}/{suite}.npy"
        return vectors, self.suite_file(suite, "items.json")

    def embedded_suites(self, lexicon: str, encoders: Iterable[Encoder]) -> list[str]:
        """Return the suites that the source and target encoder of a lexicon are embedded for.

        One encoder for both languages takes a suite without a language that holds the lexicon, if
        there is one: then it is embedded once for all lexicons.
        """
        # the first of each language
        suites = reversed(self.config.suites.items())
        by_language = {one.language: name for name, one in suites if lexicon in one.datasets}
        source, target = encoders
        if source == target and None in by_language:
            return [by_language[None]] * 2
        entry = self._typed.datasets[lexicon]
        for language in (entry.source, entry.target):
            if language not in by_language:
                raise UserError(
                    "config",
                    f"no suite of language `{language}` holds data set `{lexicon}`",
                    f"add it to `suites.words-{language}`",
                )
        return [by_language[entry.source], by_language[entry.target]]


def alternatives(names: Iterable[str]) -> str:
    """Return names as a regular expression that matches any of them, and nothing for none."""
    return "|".join(map(re.escape, sorted(names))) or "(?!)"
