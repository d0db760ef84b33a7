"""What the assembly of tables, figures and the page of everything is given: blocks and files."""

from typing import Any

from workflow_scripts.dag.cells import NotRun, Place
from workflow_scripts.dag.encoders import UNTUNED_CORPUS
from workflow_scripts.dag.paper import unique
from workflow_scripts.dag.plan import Plan


class Outputs:
    """The tables and figures of a plan; every method is a function of its config."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._config = plan.config
        self._cells = plan.cells
        self._models = plan.models
        # each is asked for by several functions of its rule
        self._table_blocks: dict[str, dict[str, Any]] = {}
        self._figure_blocks: dict[str, dict[str, Any]] = {}

    # ---- tables ---------------------------------------------------------------------------------

    def table_block(self, table: str) -> dict[str, Any]:
        """Return what assemble_table needs of one table, cells resolved to score files."""
        if table not in self._table_blocks:
            self._table_blocks[table] = self._make_table_block(table)
        return self._table_blocks[table]

    def _make_table_block(self, table: str) -> dict[str, Any]:
        block = self._config["tables"][table]
        columns = [
            {
                "id": column["id"],
                "label": column["label"],
                "digits": column.get("digits", 3),
                "lower_is_better": column.get("lower_is_better", False),
            }
            for column in block["columns"]
        ]
        rows = []
        for row in block["rows"]:
            keys = ("id", "label", "group", "against", "not_run")
            resolved = {key: row[key] for key in keys if key in row}
            if "not_run" not in row:
                resolved["cells"] = {
                    column["id"]: self._cells.cell(
                        self._cells.places(table, row, column), column.get("tolerance")
                    )
                    for column in block["columns"]
                }
            rows.append(resolved)
        return {
            "id": table,
            "title": block["title"],
            "reference": block.get("reference"),
            "average": block.get("average", False),
            "change_of": block.get("change_of"),
            "notes": [*block.get("notes", []), *self._left_out(table), *self._model_notes(rows)],
            "columns": columns,
            "rows": rows,
        }

    def reference_files(self, kind: str, name: str) -> list[str]:
        """Return the file of published values of a table or figure, in a list; empty if none.

        `kind` is "tables" or "figures".
        """
        reference = self._config[kind][name].get("reference")
        return [f"config/reference/{reference}.tsv"] if reference else []

    def _left_out(self, table: str) -> list[str]:
        """Return a line for each data set that means of a table leave out."""
        block = self._config["tables"][table]
        found = unique(
            dataset
            for row in block["rows"]
            if "not_run" not in row
            for column in block["columns"]
            for dataset in self._cells.left_out(self._cells.places(table, row, column))
        )
        return [
            f"The mean leaves out {dataset}, which is not in the data root." for dataset in found
        ]

    def _model_notes(self, rows: list[dict[str, Any]]) -> list[str]:
        """Return a line for each model that the rows of a table use: which model it is."""
        used: dict[str, None] = {}
        for row in rows:
            for cell in row.get("cells", {}).values():
                for path in _score_files(cell):
                    used.update(dict.fromkeys(path.split("/")[2].split("--")))
        return [f"{model}: {self._models.note(model)}" for model in used]

    def table_scores(self, table: str) -> list[str]:
        """Return the score files of a table, sorted."""
        rows = self.table_block(table)["rows"]
        cells = [cell for row in rows for cell in row.get("cells", {}).values()]
        return sorted({path for cell in cells for path in _score_files(cell)})

    def grid_block(self, table: str) -> dict[str, Any]:
        """Return what assemble_grid needs: the searches whose results the table shows."""
        block = self._config["tables"][table]
        return {
            "id": table,
            "title": block["title"],
            "notes": block.get("notes", []),
            "reference": block.get("reference"),
            "searches": [
                {"id": search, "label": search.replace("-", " ")}
                for search in self._plan.grid_searches()
            ],
        }

    def models_block(self, table: str) -> dict[str, Any]:
        """Return what assemble_models needs: the models of the config, those of the paper first.

        `models` of the table says by id what the paper printed of it.
        """
        block = self._config["tables"][table]
        published = block.get("models", {})
        return {
            "id": table,
            "title": block["title"],
            "notes": block.get("notes", []),
            "models": self._models.listing(published),
        }

    def running_time_block(self, table: str) -> dict[str, Any]:
        """Return what assemble_running_time needs: benchmark files of the jobs, by stage."""
        block = self._config["tables"][table]
        return {
            "id": table,
            "title": block["title"],
            "notes": block.get("notes", []),
            "groups": [
                {"label": label, "files": sorted(files)}
                for label, files in self._benchmarks().items()
                if files
            ],
        }

    def benchmark_files(self) -> list[str]:
        """Return the benchmark files that a table of running times reads, sorted."""
        return sorted(file for files in self._benchmarks().values() for file in files)

    def _benchmarks(self) -> dict[str, set[str]]:
        groups: dict[str, set[str]] = {
            "Mirror tuning, words": set(),
            "Mirror tuning, names": set(),
            "Mirror tuning, sentences": set(),
            "embedding": set(),
            "scoring": set(),
        }
        kinds = {"names": "names", "sentences": "sentences"}
        for place in self._plan.places():
            scores = self._cells.scores(place)
            if isinstance(scores, NotRun):
                continue
            is_lexicon = len(self._cells.languages(place.dataset)) == 2
            rule = "score_lexicon" if is_lexicon else "score_suite"
            groups["scoring"].update(
                f"results/benchmarks/{rule}/{file.removeprefix('results/scores/')}"
                for file in scores
            )
            for seed in self._cells.seeds(place):
                encoders = self._cells.encoders(place, seed)
                suites = self._cells.suites(place)
                if is_lexicon:
                    suites = self._plan.embedded_suites(place.dataset, encoders)
                for encoder, suite in zip(encoders, suites, strict=True):
                    embed = (
                        "embed_static" if self._models.is_static(encoder.model) else "embed_suite"
                    )
                    groups["embedding"].add(f"results/benchmarks/{embed}/{encoder.id}/{suite}.tsv")
                    if encoder.corpus == UNTUNED_CORPUS:
                        continue
                    kind = self._config["corpora"][encoder.corpus]["kind"]
                    tune = (
                        "tune_with_development"
                        if self._config["recipes"][encoder.recipe].get("development")
                        else "tune_mirror"
                    )
                    groups[f"Mirror tuning, {kinds.get(kind, 'words')}"].add(
                        f"results/benchmarks/{tune}/{encoder.id}.tsv"
                    )
        return groups

    # ---- figures --------------------------------------------------------------------------------

    def figure_block(self, figure: str) -> dict[str, Any]:
        """Return what draw_figure needs of one figure, curves resolved to files."""
        if figure not in self._figure_blocks:
            self._figure_blocks[figure] = self._make_figure_block(figure)
        return self._figure_blocks[figure]

    def _make_figure_block(self, figure: str) -> dict[str, Any]:
        block = self._config["figures"][figure]
        common = ("kind", "title", "caption", "x_label", "y_label", "dataset")
        resolved = {
            "id": figure,
            **{key: block[key] for key in common if key in block},
            "notes": block.get("notes", []),
            "reference": block.get("reference"),
        }
        places = self._plan.figure_rows(figure)
        if block["kind"] == "lines":
            points = iter(places)
            resolved["series"] = [
                {
                    "id": series["id"],
                    "label": series["label"],
                    "points": [self._point(next(points)) for _ in series["corpora"]],
                }
                for series in block["series"]
            ]
        elif block["kind"] == "buckets":
            suite = self._cells.suites(places[0])[0]
            resolved["items"] = f"results/datasets/{suite}/items.json"
            resolved["strings"] = f"results/datasets/{suite}/strings.txt"
            resolved["buckets"] = [self._bucket(place) for place in places]
        else:
            key, entry = {"roc": ("curves", self._curve), "cosines": ("panels", self._panel)}[
                block["kind"]
            ]
            resolved[key] = [entry(place) for place in places]
        return resolved

    def _point(self, place: Place) -> dict[str, Any]:
        corpus = place.row["corpus"]
        cell = self._cells.cell([place])
        if "not_run" in cell:
            return {"id": corpus, "not_run": cell["not_run"]}
        return {"id": corpus, "record": f"results/corpora/{corpus}.json", "parts": cell["parts"]}

    def _bucket(self, place: Place) -> dict[str, Any]:
        corpus = place.row["corpus"]
        block = self._config["corpora"][corpus]
        first, size = block.get("skip", 0), block["size"]
        label = f"{first + 1}-{first + size}" if isinstance(size, int) else corpus
        bucket = {"id": corpus, "label": label}
        cell = self._cells.cell([place])
        if "not_run" in cell:
            return {**bucket, "not_run": cell["not_run"]}
        return {**bucket, "corpus": f"results/corpora/{corpus}.txt", "parts": cell["parts"]}

    def _curve(self, place: Place) -> dict[str, Any]:
        row = {key: place.row[key] for key in ("id", "label", "group") if key in place.row}
        cell = self._cells.cell([place])
        if "not_run" in cell:
            return {**row, "not_run": cell["not_run"]}
        scores = cell["parts"][0]["scores"]
        return {
            **row,
            "scores": scores,
            "details": details_of(scores),
            "departures": cell["departures"],
        }

    def _panel(self, place: Place) -> dict[str, Any]:
        curve = self._curve(place)
        return {key: curve[key] for key in ("id", "label", "not_run", "details") if key in curve}

    def figure_inputs(self, figure: str) -> dict[str, list[str]]:
        """Return the files that a figure is drawn from: scores, details, records, texts."""
        block = self.figure_block(figure)
        scores: set[str] = set()
        details: set[str] = set()
        records: set[str] = set()
        texts: set[str] = {block[key] for key in ("items", "strings") if key in block}
        drawn = [*block.get("curves", []), *block.get("panels", []), *block.get("buckets", [])]
        drawn += [point for series in block.get("series", []) for point in series["points"]]
        for one in drawn:
            scores.update(_score_files(one), one.get("scores", []))
            details.update(one.get("details", []))
            records.update([one["record"]] if "record" in one else [])
            texts.update([one["corpus"]] if "corpus" in one else [])
        return {
            "scores": sorted(scores),
            "details": sorted(details.union(details_of(sorted(scores)))),
            "records": sorted(records),
            "texts": sorted(texts),
        }

    # ---- the page of everything -----------------------------------------------------------------

    def scorecard_block(self) -> dict[str, Any]:
        """Return what assemble_scorecard needs: tables and figures with their titles."""
        index = self.index_block()
        return {"tables": index["tables"], "figures": index["figures"]}

    def index_block(self) -> dict[str, Any]:
        """Return what assemble_index needs: tables, figures, seeds, data and models."""
        encoders, _ = self._plan.needed()
        models = {encoder.model for encoder in encoders}
        return {
            "tables": [
                {"id": table, "title": self._config["tables"][table]["title"]}
                for table in self._plan.tables
            ],
            "figures": [
                {"id": figure, "title": self._config["figures"][figure]["title"]}
                for figure in self._plan.figures
            ],
            "seeds": self._config["seeds"],
            "data": self._plan.data_note(),
            "paper": self._config["data"]["paper"],
            "models": {model: self._models.note(model) for model in sorted(models)},
        }


def details_of(scores: list[str]) -> list[str]:
    """Return the details files that stand beside score files."""
    return [path.removesuffix(".tsv") + ".npz" for path in scores]


def _score_files(cell: dict[str, Any]) -> list[str]:
    return [path for part in cell.get("parts", []) for path in part["scores"]]
