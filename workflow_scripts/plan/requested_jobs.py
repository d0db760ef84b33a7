"""The jobs that the tables and figures of a config ask for, by their files of times.

A job is "rule/wildcards", as below results/benchmarks and results/logs.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from workflow_scripts.plan.cell_requests import CellRequest, embedding_jobs
from workflow_scripts.plan.requirements import shown_searches
from workflow_scripts.scoring.tasks import register as tasks

if TYPE_CHECKING:
    from workflow_scripts.plan.plan import Plan


def embedding_steps(plan: "Plan", wanted: Iterable[CellRequest]) -> set[str]:
    found = set()
    for encoder, suite in embedding_jobs(wanted):
        static = plan.models.vectors(encoder.model) is not None
        found.add(f"{'embed_static' if static else 'embed_suite'}/{encoder}/{suite}")
    return found


def scoring_steps(plan: "Plan", wanted: Iterable[CellRequest]) -> set[str]:
    """Return the jobs that score; not those that make what they need first."""
    return {
        f"{'score_lexicon' if plan.requests.is_lexicon(one.dataset) else 'score_suite'}/{score}"
        for one in wanted
        for score in one.score_ids()
    }


def _made_for_scores(plan: "Plan", wanted: Iterable[CellRequest]) -> set[str]:
    """Return the jobs of what scoring needs first: ranked names, predictions, translations."""
    rules = {"links": "link_entities", "predictions": "classify_texts"}
    rules["translations"] = "induce_lexicon"
    return {
        f"{rules[need]}/{score}"
        for one in wanted
        for need in tasks.task(plan.typed.datasets[one.dataset].task).NEEDS
        for score in one.score_ids()
    }


def requested_jobs(plan: "Plan") -> list[str]:
    """Return all jobs but that of the index page itself, sorted."""
    # which imports the plan
    from workflow_scripts.plan.searches import TuningGridPlan

    run, required = plan.cells.run, plan.requirements(False)
    found = {"assemble_scores", "assemble_scorecard"}
    found |= {f"assemble_table/{name}" for name in plan.outputs.tables}
    found |= {f"draw_figure/{name}" for name in plan.outputs.figures}
    found |= embedding_steps(plan, run) | scoring_steps(plan, run) | _made_for_scores(plan, run)
    tuned = (one for one in required.encoders if plan.typed.recipes[one.recipe].tunes)
    found |= {f"tune_encoder/{encoder}" for encoder in tuned}
    corpora, todo = set(), list(required.corpora)
    while todo:
        corpora.add(corpus := todo.pop())
        todo += plan.typed.corpora[corpus].corpora()
    found |= {f"sample_corpus/{corpus}" for corpus in corpora}
    grid = TuningGridPlan(plan)
    for search in shown_searches(plan.typed):
        found |= {f"search_grid/{search}/slice{n}" for n in range(len(grid.slices(search)))}
        found.add(f"choose_settings/{search}")
    for dataset in required.datasets:
        rule = "read_lexicon" if plan.requests.is_lexicon(dataset) else "read_dataset"
        found.add(f"{rule}/{dataset}")
    of_hub = required.models & set(plan.models.of_hub)
    found |= {f"fetch_model/{model}" for model in of_hub}
    found |= {
        f"fetch_dataset/{name}" for name in plan.availability.raw.downloads_of(required.files())
    }
    return sorted(found)
