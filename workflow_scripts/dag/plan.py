"""The plan of a run: which jobs the tables of a config need, and the block of config of each."""

import re
import sys
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from workflow_scripts.corpora import catalogue as corpora_catalogue
from workflow_scripts.dag.canonical import canonical
from workflow_scripts.dag.config_schema import validate_structure
from workflow_scripts.dag.encoders import (
    UNTUNED_CORPUS,
    UNTUNED_SEED,
    Encoder,
    LexiconEncoders,
)
from workflow_scripts.datasets import catalogue as datasets_catalogue
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.tuning.recipes import parse_recipe

DEFAULT_METRIC = {
    "similarity": "spearman",
    "entity-linking": "accuracy@1",
    "lexicon": "accuracy@1",
}
# what a folder must hold to be a model; the tokenizer has several forms, any one of which will do
WEIGHTS = "model.safetensors"
TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "sentencepiece.bpe.model",
)


class LexiconSide(NamedTuple):
    """Files of one language of a lexicon pair."""

    vectors: str
    items: str


class Plan:
    """A validated config and what the rules ask of it.

    Every method is a pure function of the config (and of which data and model files exist), so
    that a rule's params come from `wildcards` alone.

    Raises `UserError` for a mistake in the config, naming the key and the remedy.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        validate_structure(config)
        self.config = config
        self.root = Path(config["data"]["root"])
        for name, block in config["recipes"].items():
            parse_recipe(name, block)
        for name, block in config["corpora"].items():
            corpora_catalogue.check_block(name, block)
        for name, entry in config["datasets"].items():
            datasets_catalogue.check_entry(name, entry)
        self._check_suites()
        for name in config["recipes"]:
            self._check_development(name)
        for name in config["tables"]:
            self._check_table(name)
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
        for kind in ("columns", "rows"):
            ids = [item["id"] for item in block[kind]]
            twice = next((i for i in ids if ids.count(i) > 1), None)
            if twice:
                raise UserError(f"config: `tables.{table}.{kind}` has the id `{twice}` twice")
        if block.get("average") and any(column["id"] == "avg" for column in block["columns"]):
            raise UserError(
                f"config: `tables.{table}.columns` has the id `avg`, which is that of the average; "
                "give the column another"
            )
        for column in block["columns"]:
            self.known("datasets", column["dataset"], f"tables.{table}.columns.{column['id']}")
        for row in block["rows"]:
            where = f"tables.{table}.rows.{row['id']}"
            if "not_run" in row:
                continue
            self.known("recipes", row["recipe"], f"{where}.recipe")
            models = row["model"] if isinstance(row["model"], dict) else {"": row["model"]}
            for model in models.values():
                self.known("models", model, f"{where}.model")
            tuned = self.is_tuned(row["recipe"])
            if tuned and "corpus" not in row:
                raise UserError(f"config: `{where}.corpus` is missing: its recipe tunes on one")
            if not tuned and "corpus" in row:
                raise UserError(
                    f"config: `{where}.corpus` has no use: recipe `{row['recipe']}` does not tune; "
                    "remove the key"
                )
            for column in block["columns"]:
                for encoder in self._encoders(table, row, column):
                    if tuned:
                        self.known("corpora", encoder.corpus, f"{where}.corpus")
                for suite in self._suites_of(table, row, column):
                    self.known("suites", suite, f"tables.{table}.suite")
                    if column["dataset"] not in self.config["suites"][suite]["datasets"]:
                        raise UserError(
                            f"config: `suites.{suite}` lacks dataset `{column['dataset']}`, which "
                            f"`tables.{table}` shows; add it to the suite"
                        )

    def _check_files(self) -> None:
        """Name what is missing before the first job starts."""
        needed = self._needed()
        for model in sorted({encoder.model for encoder in needed["encoders"]}):
            self.require_model_files(model)
        if self.config["data"]["missing"] == "error":
            for dataset in sorted(needed["datasets"]):
                self.require_dataset_files(dataset)
        for recipe in sorted({encoder.recipe for encoder in needed["encoders"]}):
            if development := self.config["recipes"][recipe].get("development"):
                self.require_dataset_files(development["dataset"])
        for corpus in sorted({e.corpus for e in needed["encoders"]} - {UNTUNED_CORPUS}):
            self.require_corpus_files(corpus)

    def require_model_files(self, model: str) -> None:
        """Raise `UserError` if the folder of a local model lacks its config or weights."""
        path = self.config["models"][model].get("path")
        if path is None:
            return
        for file in ("config.json", WEIGHTS):
            if not (Path(path) / file).is_file():
                raise UserError(
                    f"config: `models.{model}.path`: {path} has no {file}; "
                    "give the folder of a model saved with save_pretrained (safetensors)"
                )

    def require_dataset_files(self, dataset: str) -> None:
        """Raise `UserError` naming the first raw file of a data set that is absent."""
        for file in self.missing_files(dataset):
            raise UserError(self._missing_message(dataset, file))

    def require_corpus_files(self, corpus: str) -> None:
        """Raise `UserError` naming the raw file of a corpus that is absent."""
        for file in corpora_catalogue.raw_files(self.root, self.config["corpora"][corpus]):
            if not Path(file).is_file():
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
        """Return the raw files of a data set that are absent from the data root."""
        files = datasets_catalogue.raw_files(self.root, self.config["datasets"][dataset])
        return [file for file in map(Path, files) if not file.is_file()]

    def _needed(self) -> dict[str, set[Any]]:
        """Return the encoders and data sets of all cells that the tables run."""
        encoders: set[Encoder] = set()
        datasets: set[str] = set()
        for table, block in self.config["tables"].items():
            for row in block["rows"]:
                if "not_run" in row:
                    continue
                for column in block["columns"]:
                    found = self._encoders(table, row, column)
                    if found:
                        encoders.update(found)
                        datasets.add(column["dataset"])
        return {"encoders": encoders, "datasets": datasets}

    # ---- rows and cells -----------------------------------------------------------------------

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

    def is_tuned(self, recipe: str) -> bool:
        """Return whether a recipe tunes (any method but "none")."""
        return self.config["recipes"][recipe]["method"] != "none"

    def _languages(self, dataset: str) -> list[str]:
        entry = self.config["datasets"][dataset]
        if entry["task"] == "lexicon":
            return [entry["source"], entry["target"]]
        return [entry["language"]]

    def _suites_of(self, table: str, row: dict[str, Any], column: dict[str, Any]) -> list[str]:
        suite = row.get("suite", self.config["tables"][table]["suite"])
        return [suite.replace("{language}", lang) for lang in self._languages(column["dataset"])]

    def _encoder(self, row: dict[str, Any], language: str, seed: int) -> Encoder | None:
        model = row["model"] if isinstance(row["model"], str) else row["model"].get(language)
        if model is None:
            return None
        if not self.is_tuned(row["recipe"]):
            return Encoder(model, row["recipe"], UNTUNED_CORPUS, UNTUNED_SEED)
        return Encoder(model, row["recipe"], row["corpus"].replace("{language}", language), seed)

    def _seeds(self, row: dict[str, Any]) -> list[int]:
        return self.config["seeds"] if self.is_tuned(row["recipe"]) else [UNTUNED_SEED]

    def _encoders(self, table: str, row: dict[str, Any], column: dict[str, Any]) -> list[Encoder]:
        languages = self._languages(column["dataset"])
        found = [self._encoder(row, lang, seed) for seed in self._seeds(row) for lang in languages]
        return [] if None in found else [encoder for encoder in found if encoder]

    def _cell(self, table: str, row: dict[str, Any], column: dict[str, Any]) -> dict[str, Any]:
        dataset = column["dataset"]
        if self.config["data"]["missing"] == "skip" and (missing := self.missing_files(dataset)):
            return {"not_run": f"data set {dataset}: {missing[0].name} is not in the data root"}
        languages = self._languages(dataset)
        suites = self._suites_of(table, row, column)
        scores = []
        for seed in self._seeds(row):
            encoders = [self._encoder(row, language, seed) for language in languages]
            if None in encoders:
                return {"not_run": "no model for this language in this config"}
            if len(encoders) == 2:
                scores.append(LexiconEncoders(*encoders).scores(dataset))
            else:
                scores.append(encoders[0].scores(suites[0]))
        return {"scores": scores}

    def _is_comparable(self, row: dict[str, Any]) -> bool:
        if "not_run" in row:
            return False
        models = row["model"].values() if isinstance(row["model"], dict) else [row["model"]]
        return self.config["data"]["paper"] and all(
            self.config["models"][model].get("paper", False) for model in models
        )

    def table_block(self, table: str) -> dict[str, Any]:
        """Return what assemble_table needs of one table, cells resolved to score files."""
        block = self.config["tables"][table]
        columns = [
            {
                "id": column["id"],
                "label": column["label"],
                "dataset": column["dataset"],
                "metric": column.get(
                    "metric", DEFAULT_METRIC[self.config["datasets"][column["dataset"]]["task"]]
                ),
            }
            for column in block["columns"]
        ]
        rows = []
        for row in block["rows"]:
            resolved = {key: row[key] for key in ("id", "label", "group", "not_run") if key in row}
            resolved["comparable"] = self._is_comparable(row)
            if "not_run" not in row:
                resolved["cells"] = {
                    column["id"]: self._cell(table, row, column) for column in block["columns"]
                }
            rows.append(resolved)
        return {
            "id": table,
            "title": block["title"],
            "reference": block.get("reference"),
            "average": block.get("average", False),
            "notes": [*block.get("notes", []), *self._model_notes(rows)],
            "columns": columns,
            "rows": rows,
        }

    def table_reference(self, table: str) -> list[str]:
        """Return the file of published values of a table, in a list; empty if it has none."""
        reference = self.config["tables"][table].get("reference")
        return [f"config/reference/{reference}.tsv"] if reference else []

    def data_note(self) -> str:
        """Return what the tables say of the data."""
        data = self.config["data"]
        return data.get("label", Path(data["root"]).name)

    def index_block(self) -> dict[str, Any]:
        """Return what assemble_index needs: tables with titles, seeds, data and models."""
        encoders = self._needed()["encoders"]
        models = {encoder.model for encoder in encoders}
        return {
            "tables": [
                {"id": table, "title": self.config["tables"][table]["title"]}
                for table in self.tables
            ],
            "seeds": self.config["seeds"],
            "data": self.data_note(),
            "paper": self.config["data"]["paper"],
            "models": {model: self._model_note(model) for model in sorted(models)},
        }

    def _model_notes(self, rows: list[dict[str, Any]]) -> list[str]:
        """Return a line for each model that the rows of a table use: which model it is."""
        used: dict[str, None] = {}
        for row in rows:
            for cell in row.get("cells", {}).values():
                for path in cell.get("scores", []):
                    used.update(dict.fromkeys(path.split("/")[2].split("--")))
        return [f"{model}: {self._model_note(model)}" for model in used]

    def _model_note(self, model: str) -> str:
        block = self.config["models"][model]
        # a folder goes by its last name: tables hold no paths of the machine
        location = Path(block["path"]).name if "path" in block else self.model_location(model)
        return block.get("label", location)

    def table_scores(self, table: str) -> list[str]:
        """Return the score files of a table, sorted."""
        rows = self.table_block(table)["rows"]
        cells = [cell for row in rows for cell in row.get("cells", {}).values()]
        return sorted({path for cell in cells for path in cell.get("scores", [])})

    def all_scores(self) -> list[str]:
        """Return the score files of all tables, sorted."""
        return sorted({path for table in self.tables for path in self.table_scores(table)})

    @property
    def tables(self) -> list[str]:
        """Ids of the tables, in the order of the config."""
        return list(self.config["tables"])

    # ---- blocks and inputs of the rules -------------------------------------------------------

    def corpora_of(self, kind: str) -> str:
        """Return the ids of the corpora of a kind as a regular expression for a wildcard."""
        return _any_of(self.config["corpora"], "kind", kind)

    def recipes_of(self, method: str) -> str:
        """Return the ids of the recipes of a method as a regular expression for a wildcard."""
        return _any_of(self.config["recipes"], "method", method)

    def corpus_block(self, corpus: str) -> str:
        """Return the canonical block of a corpus."""
        return canonical(self.config["corpora"][corpus])

    def corpus_files(self, corpus: str) -> list[str]:
        """Return the raw files of a corpus."""
        return [
            str(file)
            for file in corpora_catalogue.raw_files(self.root, self.config["corpora"][corpus])
        ]

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
        """Return the raw files that the data sets of a suite read, sorted."""
        entries = self.suite_datasets(suite).values()
        files = {str(f) for e in entries for f in datasets_catalogue.raw_files(self.root, e)}
        return sorted(files)

    def model_files(self, model: str) -> list[str]:
        """Return the files of a local model that a step depends on; none for one of the hub."""
        path = self.config["models"][model].get("path")
        if path is None:
            return []
        names = ("config.json", WEIGHTS, *TOKENIZER_FILES)
        return [f"{path}/{name}" for name in names if (Path(path) / name).is_file()]

    def model_location(self, model: str) -> str:
        """Return the folder of a model, or its hub id with the pinned revision (id@revision)."""
        block = self.config["models"][model]
        return block.get("path") or f"{block['hub']}@{block['revision']}"

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
        suite = self._lexicon_suite(wildcards.dataset, side)
        encoder = Encoder(
            wildcards[f"{side}_model"],
            wildcards.recipe,
            wildcards[f"{side}_corpus"],
            int(wildcards.seed),
        )
        return LexiconSide(
            vectors=f"results/embeddings/{encoder.id}/{suite}.npy",
            items=f"results/datasets/{suite}/items.json",
        )

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
    ids = [re.escape(name) for name, block in blocks.items() if block[key] == value]
    return "|".join(ids) or "(?!)"  # matches nothing


def _encoder(wildcards: Any) -> Encoder:
    return Encoder(wildcards.model, wildcards.recipe, wildcards.corpus, int(wildcards.seed))


def make_plan(config: dict[str, Any]) -> Plan:
    """Return the plan of a config; print one line and stop where the config has a mistake."""
    try:
        return Plan(config)
    except UserError as error:
        stop(error)


def stop(error: UserError) -> NoReturn:
    """Print a mistake in the config as one line and end the run.

    An exception would reach the terminal with a traceback through the Snakefile.
    """
    sys.exit("error: " + " ".join(str(error).split()))
