"""Rows and columns of tables and figures, resolved to encoders and their score files."""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from workflow_scripts.dag.encoders import (
    UNTUNED_CORPUS,
    UNTUNED_SEED,
    Encoder,
    LexiconEncoders,
)
from workflow_scripts.dag.models import Models
from workflow_scripts.dag.paper import recipe_departures, retrieval_departures, unique
from workflow_scripts.errors import UserError, nearest_name

DEFAULT_METRIC = {
    "similarity": "spearman",
    "entity-linking": "accuracy@1",
    "lexicon": "accuracy@1",
    "pair-classification": "auc",
    "isotropy": "is_paper",
}
# largest differences to published values that count as the same, where a config gives none
TOLERANCE = {"untuned": 0.005, "tuned": 0.01}
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class NotRun(NamedTuple):
    """Why a cell has no own value; `dataset_missing` says that it is for want of its data set."""

    reason: str
    dataset_missing: bool = False


class Place(NamedTuple):
    """One data set of one cell: the row, the key of config that it stands in, and what it fills.

    `names` are the values of the placeholders that the column gives.
    """

    row: dict[str, Any]
    where: str
    dataset: str
    metric: str
    suite: str
    names: dict[str, str]


class Cells:
    """Resolves cells of a config; every method is a function of it (and of which files exist).

    `paper_corpora` are the corpora that are the paper's, `unlike_paper` says by data set how it
    differs from the paper's, and `missing` why files that an encoder or a data set needs leave out
    a cell (None: they do not).
    """

    def __init__(
        self,
        config: dict[str, Any],
        models: Models,
        paper_corpora: set[str],
        unlike_paper: dict[str, str],
        missing: Callable[[str, list[Encoder]], NotRun | None],
    ) -> None:
        self._config = config
        self._models = models
        self._paper_corpora = paper_corpora
        self._unlike_paper = unlike_paper
        self._missing = missing

    # ---- one data set of a cell -----------------------------------------------------------------

    def is_tuned(self, recipe: str) -> bool:
        """Return whether a recipe tunes (any method but "none")."""
        return self._config["recipes"][recipe]["method"] != "none"

    def languages(self, dataset: str) -> list[str]:
        """Return the language of a data set; source and target of a lexicon."""
        entry = self._config["datasets"][dataset]
        if entry["task"] == "lexicon":
            return [entry["source"], entry["target"]]
        return [entry["language"]]

    def recipe(self, place: Place) -> str:
        """Return the recipe of a cell."""
        return _known(
            self._config["recipes"],
            self._fill(place.row["recipe"], place, None),
            "recipes",
            f"{place.where}.recipe",
        )

    def seeds(self, place: Place) -> list[int]:
        """Return the seeds of a cell: those of the config for a tuned row."""
        return self._config["seeds"] if self.is_tuned(self.recipe(place)) else [UNTUNED_SEED]

    def suites(self, place: Place) -> list[str]:
        """Return the suite of a cell, or that of each language of a lexicon; unknown is an error.

        Raises `UserError` where a suite does not hold the data set.
        """
        found = []
        for language in self.languages(place.dataset):
            where = f"{place.where}.suite" if "suite" in place.row else place.where
            name = self._fill(place.row.get("suite", place.suite), place, language)
            suite = _known(self._config["suites"], name, "suites", where)
            if place.dataset not in self._config["suites"][suite]["datasets"]:
                raise UserError(
                    f"config: `suites.{suite}` lacks dataset `{place.dataset}`, which "
                    f"`{place.where}` shows; add it to the suite"
                )
            found.append(suite)
        return found

    def encoders(self, place: Place, seed: int) -> list[Encoder] | NotRun:
        """Return the encoder of a cell for a seed (both of a lexicon), or why there is none."""
        recipe = self.recipe(place)
        tuned = self.is_tuned(recipe)
        if tuned and "corpus" not in place.row:
            raise UserError(f"config: `{place.where}.corpus` is missing: its recipe tunes on one")
        if not tuned and "corpus" in place.row:
            raise UserError(
                f"config: `{place.where}.corpus` has no use: recipe `{recipe}` does not tune; "
                "remove the key"
            )
        found = []
        for language in self.languages(place.dataset):
            where = f"{place.where}.model"
            model = place.row["model"]
            if isinstance(model, dict):
                if language not in model:
                    return NotRun("no model for this language in this config")
                model = model[language]
            model = self._models.resolve(self._fill(model, place, language), where)
            if (reason := self._models.absent(model)) is not None:
                return NotRun(reason)
            if not tuned:
                found.append(Encoder(model, recipe, UNTUNED_CORPUS, UNTUNED_SEED))
                continue
            if self._models.is_static(model):
                raise UserError(
                    f"config: `{place.where}`: `{model}` is a file of word vectors, which "
                    f"recipe `{recipe}` cannot tune; give a recipe of method none"
                )
            corpus = _known(
                self._config["corpora"],
                self._fill(place.row["corpus"], place, language),
                "corpora",
                f"{place.where}.corpus",
            )
            found.append(Encoder(model, recipe, corpus, seed))
        return found

    def scores(self, place: Place) -> list[str] | NotRun:
        """Return the score files of a data set of a cell, one for each seed."""
        suites = self.suites(place)
        files = []
        for seed in self.seeds(place):
            encoders = self.encoders(place, seed)
            if isinstance(encoders, NotRun):
                return encoders
            if (missing := self._missing(place.dataset, encoders)) is not None:
                return missing
            if len(encoders) == 2:
                files.append(LexiconEncoders(*encoders).scores(place.dataset))
            else:
                files.append(encoders[0].scores(suites[0]))
        return files

    def departures(self, place: Place) -> list[str]:
        """Return where a cell that is run departs from the paper; none: it may be compared."""
        config, recipe = self._config, self.recipe(place)
        reasons = []
        if not config["data"]["paper"]:
            reasons.append("the data are not the paper's")
        elif place.dataset in self._unlike_paper:
            reasons.append(f"data set {place.dataset}: {self._unlike_paper[place.dataset]}")
        reasons += recipe_departures(recipe, config["recipes"][recipe])
        for encoder in self.encoders(place, self.seeds(place)[0]):
            if not self._models.is_paper(encoder.model):
                reasons.append(f"model {encoder.model} is not the paper's")
            if encoder.corpus != UNTUNED_CORPUS and encoder.corpus not in self._paper_corpora:
                reasons.append(f"corpus {encoder.corpus} is not the paper's")
        task = config["datasets"][place.dataset]["task"]
        return unique([*reasons, *retrieval_departures(task, config["retrieval"])])

    def _fill(self, pattern: str, place: Place, language: str | None) -> str:
        names = dict(place.names) if language is None else {**place.names, "language": language}

        def value(match: re.Match[str]) -> str:
            if match[1] not in names:
                raise UserError(
                    f"config: `{place.where}`: no value for {match[0]} in `{pattern}`; give it "
                    "in the column's `with`"
                )
            return names[match[1]]

        return _PLACEHOLDER.sub(value, pattern)

    # ---- cells of a table -----------------------------------------------------------------------

    def places(self, table: str, row: dict[str, Any], column: dict[str, Any]) -> list[Place]:
        """Return the data sets of a cell: one, or those that a column takes the mean over."""
        block = self._config["tables"][table]
        where = f"tables.{table}.columns.{column['id']}"
        datasets = column.get("datasets") or [column["dataset"]]
        found = []
        for dataset in datasets:
            _known(self._config["datasets"], dataset, "datasets", where)
            task = self._config["datasets"][dataset]["task"]
            metric = column.get("metric", DEFAULT_METRIC.get(task))
            if metric is None:
                raise UserError(
                    f"config: `{where}`: data set `{dataset}` is of task {task}, which is not "
                    f"scored; use one of task {', '.join(DEFAULT_METRIC)}"
                )
            place = f"tables.{table}.rows.{row['id']}"
            names = column.get("with", {})
            found.append(Place(row, place, dataset, metric, block["suite"], names))
        return found

    def cell(self, places: list[Place], tolerance: float | None = None) -> dict[str, Any]:
        """Return a cell for the assembly of tables and figures: parts and departures, or why not.

        `tolerance` is the column's own; without one the config's holds. A mean over several data
        sets leaves out those whose files are missing and skipped, and says so as a departure.
        """
        parts, departures = [], []
        left_out = self.left_out(places)
        for place in places:
            if place.dataset in left_out:
                continue
            scores = self.scores(place)
            if isinstance(scores, NotRun):
                return {"not_run": scores.reason}
            parts.append({"dataset": place.dataset, "metric": place.metric, "scores": scores})
            departures += self.departures(place)
        departures += [f"the mean leaves out {dataset}" for dataset in left_out]
        if tolerance is None:
            tuned = self.is_tuned(self.recipe(places[0]))
            tolerances = self._config.get("tolerance", TOLERANCE)
            tolerance = tolerances["tuned" if tuned else "untuned"]
        return {"parts": parts, "departures": unique(departures), "tolerance": tolerance}

    def left_out(self, places: list[Place]) -> list[str]:
        """Return the data sets that a mean over several leaves out for want of their files.

        None where all are missing: then the cell is not run.
        """
        found = [place.dataset for place in places if self._lacks_dataset(place)]
        return found if len(found) < len(places) else []

    def _lacks_dataset(self, place: Place) -> bool:
        scores = self.scores(place)
        return isinstance(scores, NotRun) and scores.dataset_missing

    def table_places(self, table: str) -> Iterator[Place]:
        """Yield the data sets of all cells of a table whose rows are run."""
        block = self._config["tables"][table]
        for row in block["rows"]:
            if "not_run" not in row:
                for column in block["columns"]:
                    yield from self.places(table, row, column)

    # ---- cells of a figure ----------------------------------------------------------------------

    def figure_place(self, figure: str, row: dict[str, Any], **own: Any) -> Place:
        """Return the data set of a curve, panel or point; `own` replaces keys of the row."""
        block = {**self._config["figures"][figure], **own}
        row = {**row, **own}
        dataset = row.get("dataset", block.get("dataset"))
        where = f"figures.{figure}"
        _known(self._config["datasets"], dataset, "datasets", f"{where}.dataset")
        metric = DEFAULT_METRIC[self._config["datasets"][dataset]["task"]]
        place = f"{where}.{row['id']}" if "id" in row else where
        return Place(row, place, dataset, metric, block.get("suite", ""), {})


def _known(blocks: dict[str, Any], name: str, kind: str, where: str) -> str:
    if name not in blocks:
        raise UserError(
            f"config: `{where}` is `{name}`, which is not in `{kind}`; {nearest_name(name, blocks)}"
        )
    return name
