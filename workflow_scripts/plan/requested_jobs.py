"""The jobs that the tables and figures of a config request, by their files of times.

A job is "rule/wildcards", as below results/benchmarks and results/logs.
"""

from collections.abc import Iterable

from workflow_scripts.plan.cell_requests import CellRequest, embedding_jobs
from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.requirements import Requirements, shown_searches
from workflow_scripts.plan.searches import TuningGridPlan
from workflow_scripts.scoring.tasks import register as tasks


def embedding_steps(cells: Cells, requests: Iterable[CellRequest]) -> set[str]:
    jobs = set()
    for encoder, suite in embedding_jobs(requests):
        rule = "embed_static" if encoder.model in cells.models.static else "embed_suite"
        jobs.add(f"{rule}/{encoder}/{suite}")
    return jobs


def scoring_steps(cells: Cells, requests: Iterable[CellRequest]) -> set[str]:
    """Return the jobs that score; not those that make what they need first."""
    jobs = set()
    for request in requests:
        rule = "score_lexicon" if cells.requests.is_lexicon(request.dataset) else "score_suite"
        jobs |= {f"{rule}/{score_id}" for score_id in request.score_ids()}
    return jobs


def _steps_before_scoring(cells: Cells, requests: Iterable[CellRequest]) -> set[str]:
    """Return the jobs that make what scoring needs: ranked names, predictions, translations."""
    rules = {"links": "link_entities", "predictions": "classify_texts"}
    rules["translations"] = "induce_lexicon"
    return {
        f"{rules[need]}/{score_id}"
        for request in requests
        for need in tasks.task(cells.typed.datasets[request.dataset].task).NEEDS
        for score_id in request.score_ids()
    }


def requested_jobs(cells: Cells, required: Requirements, grid: TuningGridPlan) -> list[str]:
    """Return all jobs but that of the index page itself, sorted."""
    jobs = {"assemble_scores", "assemble_scorecard"}
    jobs |= {f"assemble_table/{name}" for name in cells.typed.tables}
    jobs |= {f"draw_figure/{name}" for name in cells.typed.figures}
    jobs |= embedding_steps(cells, cells.run) | scoring_steps(cells, cells.run)
    jobs |= _steps_before_scoring(cells, cells.run)
    tuned = filter(cells.typed.is_trained_here, required.encoders)
    jobs |= {f"tune_encoder/{encoder}" for encoder in tuned}
    corpora, todo = set(), list(required.corpora)
    while todo:
        corpora.add(corpus := todo.pop())
        todo += cells.typed.corpora[corpus].corpora()
    jobs |= {f"sample_corpus/{corpus}" for corpus in corpora}
    for search in shown_searches(cells.typed):
        slices = range(len(grid.slices(search)))
        jobs |= {f"search_grid/{search}/slice{number}" for number in slices}
        jobs.add(f"choose_settings/{search}")
    for dataset in required.datasets:
        rule = "read_lexicon" if cells.requests.is_lexicon(dataset) else "read_dataset"
        jobs.add(f"{rule}/{dataset}")
    jobs |= {f"fetch_model/{model}" for model in required.models & cells.models.hub.keys()}
    jobs |= {
        f"fetch_dataset/{name}" for name in cells.availability.raw.downloads_of(required.files())
    }
    return sorted(jobs)
