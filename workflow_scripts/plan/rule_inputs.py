"""What each rule gets: inputs, params and the values of its wildcards."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.canonical import canonical
from workflow_scripts.errors import UserError
from workflow_scripts.plan.cell_requests import EmbeddingJob, embedding_jobs, requested_metrics
from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.encoders import UNTUNED_CORPUS, Encoder, score_id
from workflow_scripts.plan.models import WEIGHTS, files_below
from workflow_scripts.plan.stopping import mistakes_end_the_run
from workflow_scripts.plugins import module_of
from workflow_scripts.scoring.metric_names import development_modules, metric_module
from workflow_scripts.scoring.tasks import register as tasks
from workflow_scripts.tuning.recipe import method_module

_IDS = "model source_model target_model recipe corpus source_corpus target_corpus suite dataset"
# what wildcards match; ids joined by "--" would be taken for the two sides of a lexicon pair
WILDCARDS = {
    **dict.fromkeys([*_IDS.split(), "search"], r"[a-z0-9]+([-_.][a-z0-9]+)*"),
    **dict.fromkeys(("seed", "slice"), r"[0-9]+"),
}


class RuleInputs:
    """What rules get. Every method is a function of the config (and of which files exist).

    So a rule's params come from `wildcards` alone. Blocks of config are canonical JSON.
    """

    def __init__(self, cells: Cells) -> None:
        self._typed = cells.typed
        self._requests = cells.requests
        self._availability = cells.availability
        self._embeddings = embedding_jobs(cells.run)
        self._metrics = requested_metrics(cells.typed, cells.run)
        self.models = cells.models
        self.config = cells.typed.config
        self.results = cells.typed.config.results

    # ---- values of wildcards --------------------------------------------------------------------

    def neural_models(self) -> str:
        """Return the ids of the models other than word vectors as a regular expression."""
        return alternatives(self._typed.models.keys() - self.models.static.keys())

    def tuning_recipes(self) -> str:
        """Return the ids of the recipes that tune as a regular expression."""
        recipes = self._typed.recipes.items()
        return alternatives(name for name, recipe in recipes if recipe.tunes)

    # ---- resources ------------------------------------------------------------------------------

    @property
    def gpus(self) -> int:
        """GPUs that a job of embedding requests."""
        return 0 if self.config.device == "cpu" else 1

    @property
    def tuning_launcher(self) -> list[str]:
        """The words that start a module for tuning, in one process or by accelerate in several."""
        if self.config.processes.tuning == 1:
            return ["python", "-m"]
        device = "--cpu" if self.config.device == "cpu" else "--multi_gpu"
        processes = str(self.config.processes.tuning)
        words = [device, "--num_processes", processes, "--num_machines", "1"]
        # given, so that accelerate's own config in the home folder changes nothing
        words += ["--mixed_precision", "no", "--dynamo_backend", "no"]
        # a free one, since several jobs can run side by side
        words += ["--main_process_port", "0"]
        return ["accelerate", "launch", *words, "--module"]

    # ---- corpora --------------------------------------------------------------------------------

    def block(self, kind: str, name: str) -> str:
        """Return a block: of "corpora", "datasets" or "recipes"."""
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

    # ---- data sets ------------------------------------------------------------------------------

    def lexicons(self) -> str:
        """Return the ids of the data sets with two sides as a regular expression."""
        return alternatives(filter(self._requests.is_lexicon, self._typed.datasets))

    def one_sided(self) -> str:
        """Return the ids of the other data sets as a regular expression."""
        names = self._typed.datasets
        return alternatives(name for name in names if not self._requests.is_lexicon(name))

    def dataset_inputs(self, dataset: str) -> list[str]:
        """Return what a data set is read from, sorted: raw files or corpora."""
        raw = self._availability.raw.inputs(self._availability.dataset_files(dataset))
        corpora = map(self.corpus_file, self._typed.datasets[dataset].corpora())
        return sorted({*raw, *corpora})

    def dataset_file(self, dataset: str, file: str) -> str:
        """Return a file of a data set: strings.txt, of lexicons source.txt; items.json."""
        return f"{self.results}/datasets/{dataset}/{file}"

    def dataset_module(self, dataset: str) -> str:
        """Return the module that reads a data set."""
        return module_of("datasets.formats", self._typed.datasets[dataset].format)

    # ---- what an encoder embeds in one job ------------------------------------------------------

    @mistakes_end_the_run()
    def strings_keys(self, wildcards: Any) -> list[str]:
        """Return the keys of the strings that a job embeds: data sets, and sides of lexicons."""
        job = EmbeddingJob(self.encoder(wildcards), wildcards.suite)
        if job not in self._embeddings:
            problem = f"no table or figure shows a data set of suite `{job.suite}` of this encoder"
            raise UserError(f"{job.encoder}", problem, "add a row or column that does")
        return self._embeddings[job]

    def strings_files(self, wildcards: Any) -> list[str]:
        """Return the files of these strings."""
        parts = (key.partition("/") for key in self.strings_keys(wildcards))
        return [self.dataset_file(name, f"{side or 'strings'}.txt") for name, _, side in parts]

    def items_files(self, wildcards: Any) -> list[str]:
        """Return the items of the data sets that a job scores: of its suite, but no lexicons."""
        return [self.dataset_file(name, "items.json") for name in self._scored(wildcards)]

    def suite_tasks(self, wildcards: Any) -> list[str]:
        """Return the tasks of these data sets, sorted."""
        return sorted({self._typed.datasets[name].task for name in self._scored(wildcards)})

    def task_modules(self, wildcards: Any) -> list[str]:
        """Return the modules of these tasks."""
        return [module_of("scoring.tasks", task) for task in self.suite_tasks(wildcards)]

    def _scored(self, wildcards: Any) -> list[str]:
        # the key of a lexicon's strings has a side
        return [key for key in self.strings_keys(wildcards) if key in self._typed.datasets]

    def metrics(self, wildcards: Any) -> str:
        """Return the metrics that a job scores by, those of each data set, as JSON."""
        return canonical(self._requested_metrics(wildcards))

    def metric_modules(self, wildcards: Any) -> list[str]:
        """Return the modules of these metrics, sorted."""
        requested = self._requested_metrics(wildcards).values()
        return sorted({metric_module(metric) for metrics in requested for metric in metrics})

    @mistakes_end_the_run()
    def _requested_metrics(self, wildcards: Any) -> Mapping[str, list[str]]:
        if (suite := wildcards.get("suite")) is not None:
            return self._metrics.get(f"{self.encoder(wildcards)}/{suite}", {})
        pair = f"{self.encoder_pair(wildcards)}/{wildcards.dataset}"
        if pair not in self._metrics:
            problem = "no table or figure shows this lexicon by these encoders"
            raise UserError(pair, problem, "add a row or column that does")
        return self._metrics[pair]

    # ---- encoders -------------------------------------------------------------------------------

    def settings(self, recipe: str) -> str:
        """Return the settings by which encoders of a recipe embed, as JSON."""
        return canonical(self._typed.recipes[recipe].settings.as_record())

    def method_module(self, recipe: str) -> str:
        return method_module(self._typed.recipes[recipe].method)

    def encoder(self, wildcards: Any) -> Encoder:
        """Return the encoder that a job tunes, embeds with or scores."""
        return Encoder(wildcards.model, wildcards.recipe, wildcards.corpus, int(wildcards.seed))

    def start(self, wildcards: Any) -> Encoder:
        """Return what a tuning begins from: the untuned model, or the encoder of `start`."""
        encoder = self.encoder(wildcards)
        return self._typed.start_of(encoder) or encoder._replace(corpus=UNTUNED_CORPUS)

    def files(self, encoder: Encoder) -> list[str]:
        """Return the files that a job with an encoder depends on: those of the untuned model, or
        its record, which stands for the folder, and the weights.

        The weights are among them since they may be missing when the job is due to run
        (`keep_encoders`).
        """
        encoder = self._read(encoder)
        if encoder.corpus == UNTUNED_CORPUS:
            return self.models.files(encoder.model)
        if (trained := self._typed.trained.get(encoder)) is not None:
            return files_below(trained.path)
        return [f"{self.location(encoder)}/{name}" for name in ("encoder.json", WEIGHTS)]

    def location(self, encoder: Encoder) -> str:
        """Return what to load an encoder from: its folder, or the untuned model.

        The folder of one that was trained before is where the config says.
        """
        encoder = self._read(encoder)
        if encoder.corpus == UNTUNED_CORPUS:
            return self.models.location(encoder.model)
        if (trained := self._typed.trained.get(encoder)) is not None:
            return trained.path
        return f"{self.results}/encoders/{encoder}"

    def _read(self, encoder: Encoder) -> Encoder:
        """Return the encoder whose folder is read: of a recipe that does not tune, its start's."""
        if self._typed.recipes[encoder.recipe].tunes:
            return encoder
        return self._typed.start_of(encoder) or encoder

    def more_corpora(self, recipe: str) -> list[str]:
        """Return the corpora that a recipe takes in addition to that of its encoder."""
        return list(map(self.corpus_file, self._typed.recipes[recipe].corpora().values()))

    def development_files(self, recipe: str) -> list[str]:
        """Return strings and items of a recipe's development set; none without one."""
        if (development := self._typed.recipes[recipe].development) is None:
            return []
        files = ("strings.txt", "items.json")
        return [self.dataset_file(development.dataset, file) for file in files]

    def development_modules(self, recipe: str) -> list[str]:
        """Return the modules that score a recipe's development set; none without one."""
        task = self._development_task(recipe)
        return [] if task is None else development_modules(task)

    def linking_of_development(self, recipe: str) -> str:
        """Return by what names are ranked for a recipe's development set, none for another task."""
        task = self._development_task(recipe)
        links = task is not None and tasks.needs(task, "links")
        return self.config.retrieval.linking.similarity if links else "none"

    def _development_task(self, recipe: str) -> str | None:
        development = self._typed.recipes[recipe].development
        return None if development is None else self._typed.datasets[development.dataset].task

    def static_inputs(self, model: str) -> list[str]:
        """Return what embedding with a static model depends on: its file (or its download)."""
        return self._availability.raw.inputs([Path(self.models.static[model])])

    # ---- retrieval and scoring ------------------------------------------------------------------

    def own_classifier(self, wildcards: Any) -> list[str]:
        """Return the files of an encoder that was trained with a classifier; none for others."""
        classifies = self._typed.recipes[wildcards.recipe].classifies
        return self.files(self.encoder(wildcards)) if classifies else []

    def classifier(self, wildcards: Any) -> list[str]:
        """Return the words that say how test texts are classified: a protocol or classifier."""
        if not self.own_classifier(wildcards):
            return ["--protocol", self.config.classification.protocol]
        return ["--classifier", self.location(self.encoder(wildcards))]

    def needed_for_scoring(self, wildcards: Any, need: str) -> list[str]:
        """Return the file that scoring a suite `need`s made first; none where no task does.

        `links` are ranked names, `predictions` those of classifiers.
        """
        if not any(tasks.needs(task, need) for task in self.suite_tasks(wildcards)):
            return []
        section = {"links": "retrieval", "predictions": "predictions"}[need]
        return [f"{self.results}/{section}/{self.encoder(wildcards)}/{wildcards.suite}.tsv"]

    def encoder_pair(self, wildcards: Any) -> str:
        """Return the path part of the two encoders of a lexicon pair."""
        return score_id((self._side(wildcards, "source"), self._side(wildcards, "target")))

    def lexicon_vectors(self, wildcards: Any, side: str) -> dict[str, str]:
        """Return the vectors and their index of one side ("source", "target") of a lexicon pair."""
        encoder = self._side(wildcards, side)
        stem = f"{self.results}/embeddings/{encoder}/{self._typed.suite_of(wildcards.dataset)}"
        return {f"{side}_vectors": f"{stem}.npy", f"{side}_index": f"{stem}.npz"}

    def _side(self, wildcards: Any, side: str) -> Encoder:
        ids = wildcards[f"{side}_model"], wildcards.recipe, wildcards[f"{side}_corpus"]
        return Encoder(*ids, int(wildcards.seed))


def alternatives(names: Iterable[str]) -> str:
    """Return names as a regular expression that matches any of them, and nothing for none."""
    return "|".join(map(re.escape, sorted(names))) or "(?!)"
