"""What tables and figures request: the encoders and data sets of all their cells."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from workflow_scripts import plugins
from workflow_scripts.datasets.sides import SIDES, strings_key
from workflow_scripts.embedding.settings import ALWAYS_RECORDED, RECIPE_KEYS
from workflow_scripts.errors import ConfigError, UserError
from workflow_scripts.figures.config import FigureBlock
from workflow_scripts.plan.checks import check_recipe
from workflow_scripts.plan.encoders import Encoder, score_id
from workflow_scripts.plan.typed import Typed
from workflow_scripts.scoring.metrics.register import metrics_of
from workflow_scripts.scoring.tasks import register as tasks

# what a cell is known by: ids of row and column, or of what a figure draws and its corpus
CellKey = tuple[str, str]
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class DatasetRequest(NamedTuple):
    """A data set of a cell, as the config requests it; `where` is the key that does.

    `model` is an id, or one for each language; `corpus` is None where nothing is tuned. In model,
    recipe and corpus `{language}` is the language of the data set, and `names` has the values of
    the other words in braces. `metric` None is the primary one of the data set's task,
    `seeds` None are those of the config.
    """

    where: str
    model: str | Mapping[str, str]
    recipe: str
    corpus: str | None
    dataset: str
    metric: str | None = None
    names: Mapping[str, str] = {}
    seeds: list[int] | None = None


class CellRequest(NamedTuple):
    """A data set of a cell: which encoders are scored on it, and by which metric.

    `encoders` has for each seed the encoder, or both sides of a lexicon pair, whose strings are
    embedded in the job of `suite`. `absent` says why there is no model or corpus: then no encoders.
    """

    dataset_request: DatasetRequest
    metric: str
    suite: str
    encoders: tuple[tuple[Encoder, ...], ...]
    absent: str | None = None

    @property
    def dataset(self) -> str:
        return self.dataset_request.dataset

    def score_ids(self) -> list[str]:
        """Return the path part of the scores of each seed: encoder and suite, or lexicon."""
        return [
            f"{score_id(encoders)}/{self.suite if len(encoders) == 1 else self.dataset}"
            for encoders in self.encoders
        ]

    def embeddings(self) -> Iterator[tuple[Encoder, str]]:
        """Yield each encoder with the key of the strings that it embeds (see `strings_key`)."""
        for encoders in self.encoders:
            sides = SIDES if len(encoders) == 2 else (None,)
            for encoder, side in zip(encoders, sides, strict=True):
                yield encoder, strings_key(self.dataset, side)


class EmbeddingJob(NamedTuple):
    """What one job embeds: the vectors of a suite by an encoder."""

    encoder: Encoder
    suite: str


def embedding_jobs(requests: Iterable[CellRequest]) -> dict[EmbeddingJob, list[str]]:
    """Return the jobs that embed all that cells request, each with the sorted keys of its strings.

    Of each encoder and suite these are the data sets, or sides of lexicons, that cells show of this
    encoder: requests of another encoder do not change its job.
    """
    jobs: dict[EmbeddingJob, set[str]] = {}
    for request in requests:
        for encoder, key in request.embeddings():
            jobs.setdefault(EmbeddingJob(encoder, request.suite), set()).add(key)
    return {job: sorted(keys) for job, keys in jobs.items()}


def requested_metrics(
    typed: Typed, requests: Iterable[CellRequest]
) -> dict[str, dict[str, list[str]]]:
    """Return the metrics of each data set that cells request, by `score_ids` of what scores them.

    The primary one of the task is among them, as the first.
    """
    requested: dict[str, dict[str, set[str]]] = {}
    for request in requests:
        for scores in request.score_ids():
            metrics = requested.setdefault(scores, {}).setdefault(request.dataset, set())
            metrics.add(request.metric)

    def ordered(dataset: str, metrics: set[str]) -> list[str]:
        primary = tasks.task(typed.datasets[dataset].task).PRIMARY
        return [primary, *sorted(metrics - {primary})]

    return {
        scores: {dataset: ordered(dataset, metrics) for dataset, metrics in datasets.items()}
        for scores, datasets in requested.items()
    }


def _requests_of_table(name: str, block: Any) -> Iterator[tuple[CellKey, Any, DatasetRequest]]:
    """Yield each data set of each cell: key, row and column of the cell, request."""
    kind = plugins.load("tables.kinds", block.kind)
    for row, column in kind.requested_cells(block) if hasattr(kind, "requested_cells") else ():
        for dataset in column.get("datasets") or [column["dataset"]]:
            where = f"tables.{name}.rows.{row['id']}"
            ids = (row["model"], row["recipe"], row.get("corpus"), dataset)
            metric = row.get("metric", column.get("metric"))
            seeds = getattr(block, "seeds", None)
            dataset_request = DatasetRequest(where, *ids, metric, column.get("with", {}), seeds)
            yield (row["id"], column["id"]), (row, column), dataset_request


def _requests_of_figure(
    name: str, block: FigureBlock
) -> Iterator[tuple[CellKey, Any, DatasetRequest]]:
    """Yield each curve, panel, point or bucket: key, row, request."""
    for row in plugins.load("figures.kinds", block.kind).requested_cells(block):
        keys = ("model", "recipe", "corpus", "dataset")
        where = ".".join(["figures", name, *([row["id"]] if "id" in row else [])])
        model, recipe, corpus, dataset = (row.get(key) for key in keys)
        ids = (model, recipe, corpus, dataset)
        key = row.get("id", ""), row.get("corpus", "")
        yield key, row, DatasetRequest(where, *ids, row.get("metric"))


def _remedy(pattern: str, name: str, dataset: str, known: Iterable[str], blocks: str) -> str | None:
    """Return what to do where a pattern with placeholders gives a name that is not `known`.

    Where the pattern gives known names too, as of other languages, the nearest is a wrong hint.
    """
    parts = list(map(re.escape, _PLACEHOLDER.split(pattern)[::2]))
    if name == pattern or not any(re.fullmatch(".+".join(parts), other) for other in known):
        return None
    return f"data set `{dataset}` makes it of `{pattern}`: add it to {blocks}"


class CellRequests:
    """What the tables and figures of a config request, whether the files are there or not.

    Raises `UserError`, naming key and remedy, for a cell that requests what the config lacks.
    """

    def __init__(self, typed: Typed) -> None:
        self._typed = typed
        # {(section, id): {cell: data sets}}, the one traversal of tables and figures
        self.cells: dict[tuple[str, str], dict[CellKey, list[CellRequest]]] = {}
        # what the kind of a table or figure requested for each of these cells
        self.requested: dict[tuple[str, str], dict[CellKey, Any]] = {}
        sections = (("tables", _requests_of_table), ("figures", _requests_of_figure))
        for section, requests_of in sections:
            for name, block in getattr(typed, section).items():
                cells = self.cells.setdefault((section, name), {})
                requested = self.requested.setdefault((section, name), {})
                for cell, by_kind, dataset_request in requests_of(name, block):
                    requested[cell] = by_kind
                    cells.setdefault(cell, []).append(self._cell_request(dataset_request))

    def __iter__(self) -> Iterator[CellRequest]:
        for cells in self.cells.values():
            for requests in cells.values():
                yield from requests

    def is_lexicon(self, dataset: str) -> bool:
        """Return whether a data set has two sides, each with an encoder of its own."""
        return tasks.needs(self._typed.datasets[dataset].task, "translations")

    def encoders_of(self, requests: Iterable[CellRequest]) -> set[Encoder]:
        """Return the encoders of some cells, with those that their recipes start from."""
        scored = {
            encoder for request in requests for encoders in request.encoders for encoder in encoders
        }
        return {made for encoder in scored for made in self._typed.with_starts(encoder)}

    def development_sets(self, encoders: Iterable[Encoder]) -> set[str]:
        """Return the data sets that tunings are watched on."""
        blocks = {
            self._typed.recipes[encoder.recipe].development
            for encoder in encoders
            if encoder not in self._typed.trained
        }
        return {development.dataset for development in blocks if development is not None}

    # ---- a data set of a cell -------------------------------------------------------------------

    def _cell_request(self, dataset_request: DatasetRequest) -> CellRequest:
        typed, where = self._typed, dataset_request.where
        dataset, metric = dataset_request.dataset, dataset_request.metric
        entry = typed.named("datasets", dataset, f"{where}.dataset")
        if entry.task not in tasks.TASKS:
            raise ConfigError(
                "config",
                f"{where}.dataset",
                f"is `{dataset}`, of task {entry.task}, which is not scored",
                f"use one of task {', '.join(tasks.TASKS)}",
            )
        metrics = metrics_of(entry.task)
        if metric is not None and metric not in metrics:
            raise ConfigError(
                "config",
                f"{where}.metric",
                f"is `{metric}`, which is none of task {entry.task}",
                f"use one of: {', '.join(metrics)}",
            )
        name = self._fill(dataset_request.recipe, dataset_request, None)
        recipe = check_recipe(typed, where, name, dataset_request.corpus)
        suite = typed.suite_of(dataset)
        request = CellRequest(dataset_request, metric or metrics[0], suite, ())
        if entry.absent is not None:
            return request._replace(absent=entry.absent)
        models = []
        is_lexicon = self.is_lexicon(dataset)
        for language in (entry.source, entry.target) if is_lexicon else (entry.language,):
            model = self._model(dataset_request, language)
            if model is None:
                return request._replace(absent="no model for this language in this config")
            if (reason := typed.models[model].absent) is not None:
                return request._replace(absent=reason)
            # word vectors do without those that every record has
            more = recipe.settings.as_record().keys() - set(ALWAYS_RECORDED)
            if typed.models[model].vectors is not None and (typed.is_tuned(name) or more):
                keys = " and ".join(f"`{RECIPE_KEYS[setting]}`" for setting in sorted(more))
                wrong = f"sets {keys} for" if more else "cannot tune"
                raise UserError(
                    f"config: `{where}`",
                    f"`{model}` is a file of word vectors, which recipe `{name}` {wrong}",
                    "give a recipe of method none" + (f" without {keys}" if more else ""),
                )
            corpus = self._corpus(dataset_request, language)
            models.append((model, typed.corpus_of(name, corpus)))
        encoders = tuple(
            tuple(Encoder(model, name, corpus, seed) for model, corpus in models)
            for seed in typed.seeds(name, dataset_request.seeds)
        )
        for encoder in chain.from_iterable(encoders):
            self._check_seed(encoder, where)
            for training_corpus in typed.corpora_of(encoder):
                if (reason := typed.corpora[training_corpus].absent()) is not None:
                    return request._replace(absent=reason)
        return request._replace(encoders=encoders)

    def _check_seed(self, encoder: Encoder, where: str) -> None:
        """Raise `UserError` where an encoder was trained before, but with other seeds alone.

        Its row would be a mean over seeds of two trainings.
        """
        trained = self._typed.trained
        if encoder in trained or not self._typed.is_tuned(encoder.recipe):
            return
        seeds = [other.seed for other in trained if other._replace(seed=encoder.seed) == encoder]
        if seeds:
            raise ConfigError(
                "config",
                "trained_encoders",
                f"has seed {seeds[0]} of recipe `{encoder.recipe}`, and `{where}` needs seed "
                f"{encoder.seed}, too",
                "add the folder of that seed, or remove the entry",
            )

    def _model(self, dataset_request: DatasetRequest, language: str) -> str | None:
        """Return the model of a cell, second names resolved; None where the language has none."""
        models, dataset = dataset_request.model, dataset_request.dataset
        model = models if isinstance(models, str) else models.get(language)
        if model is None:
            return None
        name = self._fill(model, dataset_request, language)
        blocks = "`models`, or to `absent_models` with the reason"
        remedy = _remedy(model, name, dataset, self._typed.models, blocks)
        where = f"{dataset_request.where}.model"
        return self._typed.model_id(name, where, remedy)

    def _corpus(self, dataset_request: DatasetRequest, language: str) -> str | None:
        corpus, dataset = dataset_request.corpus, dataset_request.dataset
        if corpus is None:
            return None
        name = self._fill(corpus, dataset_request, language)
        remedy = _remedy(corpus, name, dataset, self._typed.corpora, "`corpora`")
        self._typed.named("corpora", name, f"{dataset_request.where}.corpus", remedy)
        return name

    def _fill(self, pattern: str, dataset_request: DatasetRequest, language: str | None) -> str:
        names = {**dataset_request.names, **({} if language is None else {"language": language})}

        def value(match: re.Match[str]) -> str:
            if match[1] not in names:
                raise UserError(
                    f"config: `{dataset_request.where}`",
                    f"no value for {match[0]} in `{pattern}`",
                    "give it in the column's `with`",
                )
            return names[match[1]]

        return _PLACEHOLDER.sub(value, pattern)
