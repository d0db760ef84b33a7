"""The jobs that the tables and figures of a config ask for, by their files of times.

A job is "rule/wildcards", as below results/benchmarks and results/logs.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from workflow_scripts.plan.cell_requests import CellRequest
from workflow_scripts.plan.requirements import shown_searches
from workflow_scripts.scoring.tasks import register as tasks

if TYPE_CHECKING:
    from workflow_scripts.plan.plan import Plan


def embedding_jobs(plan: "Plan", wanted: Iterable[CellRequest]) -> set[str]:
    found = set()
    for one in wanted:
        for encoders in one.encoders:
            suites: Sequence[str] = one.suites
            if plan.requests.is_lexicon(one.dataset):
                suites = plan.rule_inputs.embedded_suites(one.dataset, encoders)
            for encoder, suite in zip(encoders, suites, strict=True):
                static = plan.models.vectors(encoder.model) is not None
                found.add(f"{'embed_static' if static else 'embed_suite'}/{encoder}/{suite}")
    return found


def scoring_jobs(plan: "Plan", wanted: Iterable[CellRequest]) -> set[str]:
    """Return the jobs that score; not those that make what they need first."""
    return {
        f"{'score_lexicon' if plan.requests.is_lexicon(one.dataset) else 'score_suite'}/{score}"
        for one in wanted
        for score in one.score_ids()
    }


def _made_for_scores(plan: "Plan", scoring: Iterable[str]) -> set[str]:
    """Return the jobs of what scoring jobs need first: ranked names, predictions, translations."""
    found = set()
    for job in scoring:
        rule, _, of = job.partition("/")
        if rule == "score_lexicon":
            found.add(f"induce_lexicon/{of}")
            continue
        suite_tasks = plan.rule_inputs.suite_tasks(of.rpartition("/")[2])
        for need, maker in (("links", "link_entities"), ("predictions", "classify_texts")):
            if any(tasks.needs(task, need) for task in suite_tasks):
                found.add(f"{maker}/{of}")
    return found


def requested_jobs(plan: "Plan") -> list[str]:
    """Return all jobs but that of the index page itself, sorted."""
    # which imports the plan
    from workflow_scripts.plan.searches import TuningGridPlan

    run, required = plan.cells.run, plan.requirements(False)
    found = {"assemble_scores", "assemble_scorecard"}
    found |= {f"assemble_table/{name}" for name in plan.outputs.tables}
    found |= {f"draw_figure/{name}" for name in plan.outputs.figures}
    found |= (embedding := embedding_jobs(plan, run))
    found |= (scoring := scoring_jobs(plan, run)) | _made_for_scores(plan, scoring)
    tuned = (one for one in required.encoders if plan.typed.recipes[one.recipe].tunes)
    found |= {f"tune_encoder/{encoder}" for encoder in tuned}
    corpora, todo = set(), list(required.corpora)
    while todo:
        corpora.add(corpus := todo.pop())
        todo += plan.typed.corpora[corpus].corpora()
    found |= {f"sample_corpus/{corpus}" for corpus in corpora}
    suites = {job.rpartition("/")[2] for job in embedding}
    suites |= plan.requests.development_suites(required.encoders)
    grid = TuningGridPlan(plan)
    for search in shown_searches(plan.typed):
        suites.add(grid.search(search).block.suite)
        found |= {f"search_grid/{search}/slice{n}" for n in range(len(grid.slices(search)))}
        found.add(f"choose_settings/{search}")
    found |= {f"read_suite/{suite}" for suite in suites}
    of_hub = required.models & set(plan.models.of_hub)
    found |= {f"fetch_model/{model}" for model in of_hub}
    found |= {
        f"fetch_dataset/{name}" for name in plan.availability.raw.downloads_of(required.files())
    }
    return sorted(found)
