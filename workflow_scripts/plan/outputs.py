"""What tables, figures and the pages of everything are assembled from: blocks and files."""

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from workflow_scripts import plugins
from workflow_scripts.canonical import canonical
from workflow_scripts.corpora.kinds import register as corpora
from workflow_scripts.plan.cell_requests import CellRequest
from workflow_scripts.plan.cells import Cells, DeclaredCell
from workflow_scripts.plan.data_notes import data_label, data_note
from workflow_scripts.plan.requested_jobs import embedding_steps, requested_jobs, scoring_steps
from workflow_scripts.plan.requirements import Requirements, shown_searches
from workflow_scripts.plan.rule_inputs import RuleInputs
from workflow_scripts.plan.searches import TuningGridPlan
from workflow_scripts.plan.training_notes import TrainedRow, trained_rows, training_notes
from workflow_scripts.project_files import project_file
from workflow_scripts.tables.document import paper_name
from workflow_scripts.tables.page_records import input_files
from workflow_scripts.tables.render import report_text, rst_text

_TEMPLATES = "workflow_scripts/tables/templates"


class Run:
    """What a kind of table or figure may read of a run besides its cells."""

    def __init__(self, cells: Cells, rule_inputs: RuleInputs, name: str) -> None:
        self._cells, self._rule_inputs, self._name = cells, rule_inputs, name
        self.results = cells.typed.config.results

    def dataset_file(self, cell: DeclaredCell, file: str) -> str:
        """Return a file (strings.txt, items.json) of the data set of a cell."""
        return self._rule_inputs.dataset_file(cell.requests[0].dataset, file)

    def embedding(self, cell: DeclaredCell) -> dict[str, str]:
        """Return the files `vectors` and `index` of a cell, of the first seed."""
        request = cell.requests[0]
        stem = f"{self.results}/embeddings/{request.encoders[0][0]}/{request.suite}"
        return {"vectors": f"{stem}.npy", "index": f"{stem}.npz"}

    def corpus(self, corpus: str) -> dict[str, Any]:
        return self._cells.typed.blocks["corpora"][corpus]

    def text_of(self, model: str, what: str) -> str | None:
        return self._cells.models.text_of(model, what)

    def note(self, model: str) -> str:
        return self._cells.models.note(model)

    def listing(self, published: dict[str, str]) -> list[dict[str, Any]]:
        """Return what a table shows of the models, those of `published` first."""
        paper = self._cells.typed.tables[self._name].paper
        return self._cells.models.listing(published, paper)

    def grid_searches(self) -> list[str]:
        """Return the searches that tables of the tuning grid show."""
        return shown_searches(self._cells.typed)

    def benchmarks(self) -> dict[str, list[str]]:
        """Return the benchmark files of the jobs of its paper's tables and figures, by group."""
        cells, typed = self._cells, self._cells.typed
        requests = cells.run_for(typed.tables[self._name].paper)
        recipes = typed.recipes
        encoders = sorted(cells.requests.encoders_of(requests))
        tuned = list(filter(typed.is_trained_here, encoders))
        methods = dict.fromkeys(recipes[encoder.recipe].method for encoder in tuned)
        labels = dict.fromkeys(corpora.holds(kind) for kind in corpora.KINDS)
        groups: dict[str, set[str]] = {
            f"method {name}, {label}": set() for name in methods for label in labels
        }
        groups["embedding"] = embedding_steps(cells, requests)
        groups["scoring"] = scoring_steps(cells, requests)
        for encoder in tuned:
            corpus = typed.corpora[encoder.corpus]
            first = next(iter(corpus.corpora()), encoder.corpus)
            method, label = recipes[encoder.recipe].method, typed.corpora[first].holds
            groups[f"method {method}, {label}"].add(f"tune_encoder/{encoder}")
        folder = f"{self.results}/benchmarks"
        return {
            group: sorted(f"{folder}/{job}.tsv" for job in jobs) for group, jobs in groups.items()
        }


class Outputs:
    """The tables and figures of a config; every method is a function of it."""

    def __init__(
        self,
        cells: Cells,
        required: Requirements,
        rule_inputs: RuleInputs,
        grid: TuningGridPlan,
    ) -> None:
        self._cells, self._typed, self._config = cells, cells.typed, cells.typed.config
        self._required, self._rule_inputs, self._grid = required, rule_inputs, grid
        self._results = self._config.results
        self.tables, self.figures = self._typed.tables, self._typed.figures
        # called by several functions of a rule
        self.resolved = cache(self._resolved)

    def _resolved(self, section: str, name: str) -> dict[str, Any]:
        """Return the block of a table or figure as its step reads it."""
        config = getattr(self, section)[name]
        reference = config.reference and project_file(
            f"config/reference/{config.paper}/{config.reference}.tsv"
        )
        shared = config.model_dump(include={"kind", "title", "notes", "caption"})
        note = self._data_note(self._cells.run_of(section, name))
        shared |= {"id": name, "reference": reference, "data": note}
        style = self._config.latex if section == "tables" else self._config.figure_style
        shared["style"] = style.model_dump()
        kind = plugins.load(f"{section}.kinds", config.kind)
        run = Run(self._cells, self._rule_inputs, name)
        resolved = shared | kind.resolve(config, self._cells.declared(section, name), run)
        trained = trained_rows(self._cells, section, name)
        if section == "tables":
            smoke_tests = {row.id for row in trained if row.smoke_tests}
            for row in resolved.get("rows", ()):
                if row.get("id") in smoke_tests:
                    row["label"] += " (smoke test)"
        return resolved | {"notes": [*training_notes(trained), *resolved["notes"]]}

    def _data_note(self, requests: list[CellRequest]) -> str:
        datasets = {request.dataset for request in requests}
        return data_note(self._cells, self._cells.requests.encoders_of(requests), datasets)

    def block(self, section: str, name: str) -> str:
        """Return the canonical block of a table or figure, or of a page of everything."""
        scores = self._cells.all_scores
        pages = {"scores": scores, "scorecard": self._page, "index": self._index}
        return canonical(pages[name]() if name in pages else self.resolved(section, name))

    def files(self, section: str, name: str) -> list[str]:
        """Return what a table is assembled from or a figure drawn from, besides its block."""
        return input_files(section, self.resolved(section, name))

    @property
    def templates(self) -> list[str]:
        """Return the templates of all pages."""
        return sorted(map(str, Path(project_file(_TEMPLATES)).glob("[a-z]*")))

    def module(self, section: str, name: str) -> str:
        """Return the module of the kind of a table or figure, as `sources` takes it."""
        return plugins.module_of(f"{section}.kinds", getattr(self, section)[name].kind)

    # ---- the pages of everything ----------------------------------------------------------------

    def papers(self) -> dict[str, list[str]]:
        """Return the pages of tables and the drawings of figures, by paper."""
        pages = defaultdict(list)
        for name, block in self.tables.items():
            pages[block.paper].append(f"{self._results}/tables/{name}.html")
        for name, figure in self.figures.items():
            pages[figure.paper].append(f"{self._results}/figures/{name}.png")
        return {paper: pages[paper] for paper in self._config.papers}

    def _page(self) -> dict[str, Any]:
        """Return data, titles of papers, and their tables and figures: id, title, task, cells."""
        papers: dict[str, dict[str, list[dict[str, str]]]] = {}
        for section in ("tables", "figures"):
            for name, block in getattr(self, section).items():
                entry = {"id": name, "title": block.title, "task": self.task(section, name)}
                entry["cells"] = f"{self._results}/{section}/cells/{name}.tsv"
                pages = papers.setdefault(block.section, {"tables": [], "figures": []})
                pages[section].append(entry)
        return {
            "titles": self._titles,
            "papers": papers,
            "data": self._data_note(self._cells.run),
        }

    @property
    def _titles(self) -> dict[str, str]:
        """Return what papers, and other headings of the first page, are called, by id."""
        shown = (*self.tables.values(), *self.figures.values())
        headings = {block.heading: block.heading for block in shown if block.heading}
        return headings | {name: paper.title for name, paper in self._config.papers.items()}

    def task(self, section: str, name: str) -> str:
        """Return the task of the data sets of a table or figure, as pages group them."""
        cells = self._cells.requests.cells[section, name].values()
        datasets = {request.dataset for requests in cells for request in requests}
        tasks = {self._typed.datasets[dataset].task for dataset in datasets}
        if len(tasks) > 1:
            return "Several tasks"
        return tasks.pop().replace("-", " ").capitalize() if tasks else "Models, settings, times"

    def _overview(self) -> dict[str, list[dict[str, Any]]]:
        """Return by paper what the overview shows of tables: those that say so, or else all."""
        headlines: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for name, block in self.tables.items():
            kind = plugins.load("tables.kinds", block.kind)
            headline = kind.headline(block) if hasattr(kind, "headline") else None
            if headline is not None:
                trained = {row.id: row for row in trained_rows(self._cells, "tables", name)}
                # rows with `not_run` have no cells
                no_notes = TrainedRow("", "", [], [])
                for row in headline["rows"]:
                    own, base = (trained.get(row[key], no_notes) for key in ("row", "against"))
                    row["smoke_test"] = next(iter([*own.smoke_tests, *base.smoke_tests]), None)
                    row["trained_before"] = next(iter(own.before), None)
                headlines[block.section].append({"table": name, **headline})
        return {
            paper: [headline for headline in paper_headlines if headline["is_chosen"]]
            or paper_headlines
            for paper, paper_headlines in headlines.items()
        }

    def label(self, section: str, name: str, what: str) -> str:
        """Return the title, paper or task of a table or figure, as the report sorts them."""
        block = getattr(self, section)[name]
        if what == "task":
            return self.task(section, name)
        name = paper_name(block.section, self._titles)
        return report_text(block.title if what == "title" else name)

    def caption(self, figure: str) -> str:
        """Return the caption of a figure for the report, which reads it as reStructuredText."""
        return rst_text(self.figures[figure].caption)

    def _index(self) -> dict[str, Any]:
        config, blocks = self._config, self._typed.blocks["recipes"]
        encoders = sorted(self._required.encoders)
        recipes = {recipe for encoder in encoders for recipe in self._typed.recipes_of(encoder)}
        models = sorted({encoder.model for encoder in encoders})
        return {
            **self._page(),
            # of a block's keys no order is kept
            "order": [*config.papers],
            "overview": self._overview(),
            "scores": self._cells.all_scores(),
            "encoders": list(map(str, encoders)),
            "trained": {
                str(encoder): trained.text
                for encoder in encoders
                if (trained := self._typed.trained.get(encoder)) is not None
            },
            "jobs": requested_jobs(self._cells, self._required, self._grid),
            "recipes": {name: blocks[name] for name in sorted(recipes)},
            "label": data_label(self._cells),
            "seeds": config.seeds,
            "paper": config.data.paper,
            "models": {model: self._cells.models.note(model) for model in models},
        }
