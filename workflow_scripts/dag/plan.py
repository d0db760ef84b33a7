"""The plan of a run: which jobs the tables of a config need, and the block of config of each."""

import copy
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from workflow_scripts.corpora import catalogue as corpora_catalogue
from workflow_scripts.dag.canonical import canonical
from workflow_scripts.dag.cells import Cells, NotRun, Place
from workflow_scripts.dag.config_schema import validate_structure
from workflow_scripts.dag.encoders import UNTUNED_CORPUS, Encoder
from workflow_scripts.dag.fetched import Downloads, MissingError
from workflow_scripts.dag.models import Models
from workflow_scripts.dag.raw_data import RawData, gated_sets, record_of
from workflow_scripts.datasets import catalogue as datasets_catalogue
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.tuning.recipe_inheritance import resolve_likes
from workflow_scripts.tuning.recipes import parse_recipe


class LexiconSide(NamedTuple):
    """Files of one language of a lexicon pair."""

    vectors: str
    items: str


class Needs(NamedTuple):
    """Ids of what tables and figures read: models, corpora, and the data sets of their suites."""

    models: set[str]
    corpora: set[str]
    datasets: set[str]


class Plan:
    """A validated config and what the rules ask of it.

    Every method is a pure function of the config (and of which data and model files exist), so
    that a rule's params come from `wildcards` alone.

    Raises `UserError` for a mistake in the config, naming the key and the remedy.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        validate_structure(config)
        config = copy.deepcopy(config)
        self.config = config
        config["recipes"] = resolve_likes(config["recipes"])
        # what is the paper's is for the tables to say: no step depends on it
        marks = [block.pop("paper", False) for block in config["corpora"].values()]
        paper_corpora = {c for c, mark in zip(config["corpora"], marks, strict=True) if mark}
        differing = {
            name: block.pop("unlike_paper", None) for name, block in config["datasets"].items()
        }
        self.root = Path(config["data"]["root"])
        self._raw = RawData(self.root, config["data"].get("fetch", False))
        # asked for again and again
        self._needed: tuple[set[Encoder], set[str]] | None = None
        self._missing_of_datasets: dict[str, list[Path]] = {}
        self._missing_of_corpora: dict[str, list[Path]] = {}
        self.fetching = Downloads(config.get("downloads", {}), self.root)
        self.models = Models(config["models"], self.root, self.fetching.models)
        self.cells = Cells(
            config,
            self.models,
            paper_corpora,
            {name: how for name, how in differing.items() if how},
            self._why_missing,
        )
        for name, block in config["recipes"].items():
            parse_recipe(name, block)
        for name, block in config["corpora"].items():
            corpora_catalogue.check_block(name, block)
        for name in config["corpora"]:
            corpora_catalogue.check_joined(name, config["corpora"])
        for name, entry in config["datasets"].items():
            datasets_catalogue.check_entry(name, entry)
        self._check_suites()
        for name in config["recipes"]:
            self._check_development(name)
        for name in self.tables_of("scores"):
            self._check_table(name)
        self.grid_searches()
        for place in self._figure_places():
            self.cells.scores(place)
        self._check_files()

    # ---- checks -------------------------------------------------------------------------------

    def known(self, kind: str, name: str, where: str) -> str:
        """Return `name` if `kind` ("models", "recipes", ...) has it.

        Raises `UserError` that names the key `where` and the nearest known name otherwise.
        """
        if name not in self.config[kind]:
            raise UserError(
                f"config: `{where}` is `{name}`, which is not in `{kind}`; "
                f"{nearest_name(name, self.config[kind])}"
            )
        return name

    def _check_suites(self) -> None:
        for suite, block in self.config["suites"].items():
            datasets_catalogue.check_suite(suite, block)
            for dataset in block["datasets"]:
                self.known("datasets", dataset, f"suites.{suite}")

    def _check_development(self, recipe: str) -> None:
        development = self.config["recipes"][recipe].get("development")
        if development is None:
            return
        where = f"recipes.{recipe}.development"
        self.check_development_set(development["suite"], development["dataset"], where)

    def check_development_set(self, suite: str, dataset: str, where: str) -> None:
        """Raise `UserError` unless the suite holds the data set and its task has a single score.

        `where` is the block of config that names both.
        """
        self.known("suites", suite, f"{where}.suite")
        self.known("datasets", dataset, f"{where}.dataset")
        if dataset not in self.config["suites"][suite]["datasets"]:
            raise UserError(
                f"config: `suites.{suite}` lacks dataset `{dataset}`, on which `{where}` scores; "
                "add it to the suite or name another suite"
            )
        task = self.config["datasets"][dataset]["task"]
        datasets_catalogue.check_development_task(dataset, task, f"config: `{where}.dataset`")

    def _check_table(self, table: str) -> None:
        block = self.config["tables"][table]
        ids = {kind: [item["id"] for item in block[kind]] for kind in ("columns", "rows")}
        for kind, found in ids.items():
            twice = next((i for i in found if found.count(i) > 1), None)
            if twice:
                raise UserError(f"config: `tables.{table}.{kind}` has the id `{twice}` twice")
        if block.get("average") and "avg" in ids["columns"]:
            raise UserError(
                f"config: `tables.{table}.columns` has the id `avg`, which is that of the average; "
                "give the column another"
            )
        for row in block["rows"]:
            other = row.get("against", row["id"])
            if other not in ids["rows"]:
                raise UserError(
                    f"config: `tables.{table}.rows.{row['id']}.against` is `{other}`, which is no "
                    f"row of the table; {nearest_name(other, ids['rows'])}"
                )
        for place in self.cells.table_places(table):
            self.cells.scores(place)

    def _check_files(self) -> None:
        """Name what is missing before the first job starts."""
        encoders, _ = self.needed()
        for model in sorted({encoder.model for encoder in encoders}):
            self.models.require_files(model)
        needs = self._needs(also_missing=False)
        self.fetching.require(
            self.models, needs.models, self._raw.downloads_of(self._raw_files_of(needs))
        )
        if self.config["data"]["missing"] == "error":
            for dataset in sorted(self._datasets_read()):
                self.require_dataset_files(dataset)
            for model in sorted({encoder.model for encoder in encoders}):
                for file in self._missing_vectors(model):
                    raise UserError(
                        f"{file}: no such file, needed by model `{model}`; put it there or change "
                        f"`models.{model}.vectors`"
                    )
            for corpus in sorted({encoder.corpus for encoder in encoders} - {UNTUNED_CORPUS}):
                self.require_corpus_files(corpus)
        for recipe in sorted({encoder.recipe for encoder in encoders}):
            if development := self.config["recipes"][recipe].get("development"):
                self.require_dataset_files(development["dataset"])

    def require_model_files(self, model: str) -> None:
        """Raise `UserError` if this config has no such model, or its folder lacks files."""
        if (reason := self.models.absent(model)) is not None:
            raise UserError(f"config: `models.{model}` is absent ({reason}); give it a path or hub")
        self.models.require_files(model)

    def require_dataset_files(self, dataset: str) -> None:
        """Raise `UserError` naming the first raw file of a data set that is absent."""
        for file in self.missing_files(dataset):
            raise UserError(self._missing_message(dataset, file))

    def require_corpus_files(self, corpus: str) -> None:
        """Raise `UserError` naming the raw file of a corpus that is absent."""
        for file in self._missing_corpus_files(corpus):
            raise UserError(
                f"{file}: no such file, needed by corpus `{corpus}`; put it there or "
                f"change `corpora.{corpus}` or `data.root`"
            )

    def _missing_message(self, dataset: str, file: Path) -> str:
        obtain = self.config["datasets"][dataset].get("obtain")
        return (
            f"{file}: no such file, needed by data set `{dataset}`; "
            + (f"{obtain}; " if obtain else "put it there, or change `data.root`; ")
            + "`data.missing: skip` leaves out the cells of missing data sets"
        )

    def missing_files(self, dataset: str) -> list[Path]:
        """Return the raw files of a data set, or of the corpus it is made of, that are absent."""
        if dataset not in self._missing_of_datasets:
            entry = self.config["datasets"][dataset]
            missing = self._raw.missing(datasets_catalogue.raw_files(self.root, entry))
            for corpus in sorted(self._corpora_of(dataset)):
                missing += self._missing_corpus_files(corpus)
            self._missing_of_datasets[dataset] = missing
        return self._missing_of_datasets[dataset]

    def _corpora_of(self, dataset: str) -> set[str]:
        """Return the ids of the corpora that a data set is made of; `UserError` for an unknown."""
        files = datasets_catalogue.corpus_files(self.config["datasets"][dataset])
        where = f"datasets.{dataset}.corpus"
        return {self.known("corpora", Path(file).stem, where) for file in files}

    def _missing_corpus_files(self, corpus: str) -> list[Path]:
        if corpus not in self._missing_of_corpora:
            missing = self._raw.missing(self._corpus_raw_files(corpus))
            self._missing_of_corpora[corpus] = missing
        return self._missing_of_corpora[corpus]

    def _corpus_raw_files(self, corpus: str) -> list[Path]:
        block = self.config["corpora"][corpus]
        files = corpora_catalogue.raw_files(self.root, block)
        parts = corpora_catalogue.joined_corpora(block)
        return [*files, *(file for other in parts for file in self._corpus_raw_files(other))]

    def _missing_vectors(self, model: str) -> list[Path]:
        if not self.models.is_static(model):
            return []
        return self._raw.missing([Path(self.models.vectors(model))])

    def _why_missing(self, dataset: str, encoders: list[Encoder]) -> NotRun | None:
        """Return why missing files leave out a cell; None where they do not."""
        if self.config["data"]["missing"] == "error":
            return None
        if missing := self.missing_files(dataset):
            where = f"data set {dataset}: {missing[0].name} is not in the data root"
            return NotRun(where, dataset_missing=True)
        for encoder in encoders:
            if missing := self._missing_vectors(encoder.model):
                return NotRun(f"model {encoder.model}: {missing[0].name} is not in the data root")
            if encoder.corpus != UNTUNED_CORPUS and (
                missing := self._missing_corpus_files(encoder.corpus)
            ):
                return NotRun(f"corpus {encoder.corpus}: {missing[0].name} is not in the data root")
        return None

    def places(self) -> Iterator[Place]:
        """Yield the data sets of all cells of tables and figures."""
        for table in self.tables_of("scores"):
            yield from self.cells.table_places(table)
        yield from self._figure_places()

    def _figure_places(self) -> Iterator[Place]:
        for figure in self.figures:
            yield from self.figure_rows(figure)

    def needed(self) -> tuple[set[Encoder], set[str]]:
        """Return the encoders and data sets of all cells of tables and figures that are run."""
        if self._needed is None:
            self._needed = self._find_needed()
        return self._needed

    def _find_needed(self) -> tuple[set[Encoder], set[str]]:
        encoders: set[Encoder] = set()
        datasets: set[str] = set()
        for place in self.places():
            if isinstance(self.cells.scores(place), NotRun):
                continue
            datasets.add(place.dataset)
            for seed in self.cells.seeds(place):
                encoders.update(self.cells.encoders(place, seed))
        return encoders, datasets

    def _datasets_read(self) -> set[str]:
        """Return the data sets of all suites that are read, those included that no cell shows."""
        suites = {
            suite
            for place in self.places()
            if not isinstance(self.cells.scores(place), NotRun)
            for suite in self.cells.suites(place)
        }
        return {dataset for suite in suites for dataset in self.config["suites"][suite]["datasets"]}

    def _needs(self, also_missing: bool) -> Needs:
        """Return what the cells of tables and figures read.

        `also_missing`: as if no file were missing, in place of what the cells that are run read.
        """
        encoders: set[Encoder] = set()
        suites: set[str] = set()
        for place in self.places():
            # seeds differ in neither models nor files
            found = self.cells.encoders(place, self.cells.seeds(place)[0])
            if isinstance(found, NotRun):
                continue
            if also_missing or not isinstance(self.cells.scores(place), NotRun):
                encoders.update(found)
                suites.update(self.cells.suites(place))
        for recipe in {encoder.recipe for encoder in encoders}:
            if development := self.config["recipes"][recipe].get("development"):
                suites.add(development["suite"])
        models = {encoder.model for encoder in encoders}
        corpora = {encoder.corpus for encoder in encoders} - {UNTUNED_CORPUS}
        if self.tables_of("grid"):
            searches = self.config.get("tuning_grid", {"searches": {}})["searches"]
            for search in self.grid_searches():
                where = f"tuning_grid.searches.{search}"
                models.add(self.known("models", searches[search]["model"], f"{where}.model"))
                corpora.add(self.known("corpora", searches[search]["corpus"], f"{where}.corpus"))
                suites.add(self.known("suites", searches[search]["suite"], f"{where}.suite"))
        datasets = {
            dataset
            for suite in suites
            for dataset in (
                self.config["suites"][suite]["datasets"]
                if also_missing
                else self.suite_datasets(suite)
            )
        }
        return Needs(models, corpora, datasets)

    def _raw_files_of(self, needs: Needs) -> list[Path]:
        """Return the files below the data root that are read, those of word vectors included."""
        entries = [self.config["datasets"][dataset] for dataset in sorted(needs.datasets)]
        corpora = set(needs.corpora)
        for dataset in sorted(needs.datasets):
            corpora |= self._corpora_of(dataset)
        files = [file for e in entries for file in datasets_catalogue.raw_files(self.root, e)]
        files += [file for corpus in sorted(corpora) for file in self._corpus_raw_files(corpus)]
        static = sorted(model for model in needs.models if self.models.is_static(model))
        return [*files, *(Path(self.models.vectors(model)) for model in static)]

    # ---- what is asked for ----------------------------------------------------------------------

    @property
    def tables(self) -> list[str]:
        """Ids of the tables, in the order of the config."""
        return list(self.config["tables"])

    def tables_of(self, kind: str) -> list[str]:
        """Return the ids of the tables of a kind ("scores", "models", "grid", "running-time")."""
        blocks = self.config["tables"]
        return [table for table in blocks if blocks[table].get("kind", "scores") == kind]

    def tables_of_kind(self, kind: str) -> str:
        """Return the ids of the tables of a kind as a regular expression for a wildcard."""
        return _alternatives(self.tables_of(kind))

    def grid_searches(self) -> list[str]:
        """Return the searches that a table of kind grid shows: those listed, or else all."""
        grid = self.config.get("tuning_grid", {"searches": {}})
        shown = grid.get("shown", list(grid["searches"]))
        for search in shown:
            if search not in grid["searches"]:
                raise UserError(
                    f"config: `tuning_grid.shown` has `{search}`, which is not in "
                    f"`tuning_grid.searches`; {nearest_name(search, grid['searches'])}"
                )
        return shown

    @property
    def figures(self) -> list[str]:
        """Ids of the figures, in the order of the config."""
        return list(self.config.get("figures", {}))

    def figure_ids(self) -> str:
        """Return the ids of the figures as a regular expression for a wildcard."""
        return _alternatives(self.figures)

    def figure_rows(self, figure: str) -> list[Place]:
        """Return the data sets of all curves, panels and points of a figure."""
        block = self.config["figures"][figure]
        place = self.cells.figure_place
        if block["kind"] == "lines":
            return [
                place(figure, series, corpus=corpus)
                for series in block["series"]
                for corpus in series["corpora"]
            ]
        if block["kind"] == "buckets":
            return [place(figure, {**block, "corpus": corpus}) for corpus in block["corpora"]]
        return [place(figure, row) for row in block["rows"]]

    def data_note(self) -> str:
        """Return what the tables say of the data."""
        data = self.config["data"]
        return data.get("label", Path(data["root"]).name)

    def all_scores(self) -> list[str]:
        """Return the score files of all tables and figures, sorted."""
        files: set[str] = set()
        for place in self.places():
            scores = self.cells.scores(place)
            if not isinstance(scores, NotRun):
                files.update(scores)
        return sorted(files)

    # ---- resources ------------------------------------------------------------------------------

    @property
    def gpus(self) -> int:
        """GPUs that a job of embedding asks for."""
        return 0 if self.config["device"] == "cpu" else 1

    @property
    def tuning_processes(self) -> int:
        """Processes that tune one model together."""
        return self.config.get("processes", {}).get("tuning", 1)

    @property
    def tuning_launcher(self) -> list[str]:
        """The words that start a module for tuning, in one process or by accelerate in several."""
        if self.tuning_processes == 1:
            return ["python", "-m"]
        options = {
            "--num_processes": str(self.tuning_processes),
            "--num_machines": "1",
            # said, so that a config of accelerate's own in the home folder changes nothing
            "--mixed_precision": "no",
            "--dynamo_backend": "no",
            # a free one, since several jobs can run side by side
            "--main_process_port": "0",
        }
        place = ["--cpu"] if self.config["device"] == "cpu" else ["--multi_gpu"]
        words = [word for option in options.items() for word in option]
        return ["accelerate", "launch", *place, *words, "--module"]

    # ---- blocks and inputs of the rules -------------------------------------------------------

    def corpora_of(self, kind: str) -> str:
        """Return the ids of the corpora of a kind as a regular expression for a wildcard."""
        return _any_of(self.config["corpora"], "kind", kind)

    def static_models(self) -> str:
        """Return the ids of the models that are word vectors as a regular expression."""
        return _alternatives(self.models.static)

    def neural_models(self) -> str:
        """Return the ids of all other models as a regular expression."""
        return _alternatives(m for m in self.config["models"] if not self.models.is_static(m))

    def corpus_block(self, corpus: str) -> str:
        """Return the canonical block of a corpus."""
        return canonical(self.config["corpora"][corpus])

    def corpus_files(self, corpus: str) -> list[str]:
        """Return what a corpus is made from: raw files (or their downloads)."""
        return self._raw.inputs(
            corpora_catalogue.raw_files(self.root, self.config["corpora"][corpus])
        )

    def joined_corpora(self, corpus: str) -> list[str]:
        """Return the files of the corpora that a joined one is of."""
        return [f"results/corpora/{other}.txt" for other in self.config["corpora"][corpus]["of"]]

    def suite_datasets(self, suite: str) -> dict[str, Any]:
        """Return the entries of a suite; without the missing ones where these are skipped."""
        names = self.config["suites"][suite]["datasets"]
        if self.config["data"]["missing"] == "skip":
            names = [name for name in names if not self.missing_files(name)]
        return {name: self.config["datasets"][name] for name in names}

    def suite_block(self, suite: str) -> str:
        """Return the canonical entries of a suite, with its language where it has one."""
        block: dict[str, Any] = {"datasets": self.suite_datasets(suite)}
        if "language" in self.config["suites"][suite]:
            block["language"] = self.config["suites"][suite]["language"]
        return canonical(block)

    def suite_files(self, suite: str) -> list[str]:
        """Return what the data sets of a suite are read from, sorted: raw files and corpora."""
        entries = self.suite_datasets(suite).values()
        raw = [file for e in entries for file in datasets_catalogue.raw_files(self.root, e)]
        corpora = {file for entry in entries for file in datasets_catalogue.corpus_files(entry)}
        return sorted({*self._raw.inputs(raw), *corpora})

    # ---- what the target fetch_all brings -------------------------------------------------------

    def fetched_models(self) -> list[str]:
        """Return the records of the hub models of all tables and figures, sorted."""
        models = self._needs(also_missing=True).models
        return sorted({self.models.record(m) for m in models if self.models.hub_model(m)})

    def downloads(self) -> list[str]:
        """Return the registry's open entries that the tables and figures need."""
        files = self._raw_files_of(self._needs(also_missing=True))
        return RawData(self.root, fetch=True).downloads_of(files)

    def fetched_data(self) -> list[str]:
        """Return the records of the registry's open entries that the tables and figures need."""
        return [record_of(download) for download in self.downloads()]

    def gated(self) -> list[str]:
        """Return the registry's gated entries that the tables and figures need."""
        return gated_sets(self.root, self._raw_files_of(self._needs(also_missing=True)))

    def hub_models(self) -> str:
        """Return the ids of the models of the hub as a regular expression for a wildcard."""
        return _alternatives(self.models.of_hub)

    def model_address(self, model: str) -> str:
        """Return the hub id of a model with its pinned revision (id@revision)."""
        wanted = self.models.hub_model(model)
        assert wanted is not None, model
        return wanted.address

    # ---- models, recipes and word vectors -------------------------------------------------------

    def model_files(self, model: str) -> list[str]:
        """Return what a step with a model depends on: its files, or the record of its download."""
        return self.models.files(model)

    def model_location(self, model: str) -> str:
        """Return the folder of a model; that of a model of the hub is there once it was fetched."""
        return self.models.location(model)

    def static_vectors(self, model: str) -> str:
        """Return the file of word vectors of a static model."""
        return self.models.vectors(model)

    def static_inputs(self, model: str) -> list[str]:
        """Return what embedding with a static model depends on: its file (or its download)."""
        return self._raw.inputs([Path(self.models.vectors(model))])

    def recipe_block(self, recipe: str) -> str:
        """Return the canonical block of a recipe."""
        return canonical(self.config["recipes"][recipe])

    def recipes_with_development(self, wanted: bool) -> str:
        """Return the ids of the recipes of method mirror that have a development set, or have none.

        As a regular expression for a wildcard.
        """
        blocks = {
            name: {"development": block.get("development") is not None}
            for name, block in self.config["recipes"].items()
            if block["method"] == "mirror"
        }
        return _any_of(blocks, "development", wanted)

    def development_file(self, recipe: str, name: str) -> str:
        """Return a file of the suite of a recipe's development set: strings.txt or items.json."""
        return f"results/datasets/{self.config['recipes'][recipe]['development']['suite']}/{name}"

    def development_similarity(self, recipe: str) -> str:
        """Return by what names are ranked for a recipe's development set, none for another task."""
        dataset = self.config["recipes"][recipe]["development"]["dataset"]
        if self.config["datasets"][dataset]["task"] != "entity-linking":
            return "none"
        return self.config["retrieval"]["linking"]["similarity"]

    def embedding_block(self, recipe: str) -> str:
        """Return the canonical part of a recipe that embedding reads: pooling and length."""
        recipe_block = self.config["recipes"][recipe]
        return canonical({key: recipe_block[key] for key in ("pooling", "embed_max_length")})

    # ---- files of a job, from its wildcards -----------------------------------------------------

    def encoder_files(self, wildcards: Any) -> list[str]:
        """Return the files that stand for an encoder: its record, or those of the untuned model."""
        if wildcards.corpus == UNTUNED_CORPUS:
            return self.model_files(wildcards.model)
        return [f"{_encoder(wildcards).folder}/encoder.json"]

    def encoder_location(self, wildcards: Any) -> str:
        """Return what to load an encoder from: its folder, or the untuned model."""
        if wildcards.corpus == UNTUNED_CORPUS:
            return self.model_location(wildcards.model)
        return _encoder(wildcards).folder

    def links_of_suite(self, wildcards: Any) -> list[str]:
        """Return the file of ranked names that scoring a suite needs; none without linking."""
        entries = self.suite_datasets(wildcards.suite).values()
        if not any(entry["task"] == "entity-linking" for entry in entries):
            return []
        return [f"results/retrieval/{_encoder(wildcards).id}/{wildcards.suite}.tsv"]

    def lexicon_side(self, wildcards: Any, side: str) -> LexiconSide:
        """Return vectors and items of one side ("source", "target") of a lexicon pair."""
        source, target = (
            Encoder(
                wildcards[f"{one}_model"],
                wildcards.recipe,
                wildcards[f"{one}_corpus"],
                int(wildcards.seed),
            )
            for one in ("source", "target")
        )
        suites = self.embedded_suites(wildcards.dataset, [source, target])
        encoder, suite = (source, suites[0]) if side == "source" else (target, suites[1])
        return LexiconSide(
            vectors=f"results/embeddings/{encoder.id}/{suite}.npy",
            items=f"results/datasets/{suite}/items.json",
        )

    def embedded_suites(self, lexicon: str, encoders: list[Encoder]) -> list[str]:
        """Return the suites that the source and target encoder of a lexicon are embedded for.

        One encoder for both languages takes a suite without a language that holds the lexicon, if
        there is one: then it is embedded once for all lexicons.
        """
        source, target = encoders
        if source == target:
            for suite, block in self.config["suites"].items():
                if "language" not in block and lexicon in block["datasets"]:
                    return [suite, suite]
        return [self._lexicon_suite(lexicon, side) for side in ("source", "target")]

    def _lexicon_suite(self, dataset: str, side: str) -> str:
        """Return the suite that holds the words of one side ("source", "target") of a lexicon."""
        language = self.config["datasets"][dataset][side]
        for suite, block in self.config["suites"].items():
            if block.get("language") == language and dataset in block["datasets"]:
                return suite
        raise UserError(
            f"config: no suite of language `{language}` holds data set `{dataset}`; "
            f"add it to `suites.words-{language}`"
        )


def _any_of(blocks: dict[str, Any], key: str, value: Any) -> str:
    return _alternatives(name for name, block in blocks.items() if block[key] == value)


def _alternatives(names: Iterable[str]) -> str:
    return "|".join(map(re.escape, names)) or "(?!)"  # matches nothing


def _encoder(wildcards: Any) -> Encoder:
    return Encoder(wildcards.model, wildcards.recipe, wildcards.corpus, int(wildcards.seed))


def make_plan(config: dict[str, Any]) -> Plan:
    """Return the plan of a config; print one line and stop where the config has a mistake."""
    try:
        return Plan(config)
    except UserError as error:
        stop(error)


def stop(error: UserError) -> NoReturn:
    """Print a mistake in the config as one line (a line for each missing thing), end the run.

    An exception would reach the terminal with a traceback through the Snakefile.
    """
    if isinstance(error, MissingError):
        sys.exit(f"error: {error}")
    sys.exit("error: " + " ".join(str(error).split()))
