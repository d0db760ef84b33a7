"""The tasks that are scored, for the plan of a run and for commands; a step loads its own alone.

Each is a module of this folder, light to import, with

- PRIMARY: its metric where none is named; further ones are in `scoring.metrics.register`;
- ITEMS: the class of `datasets.items` that it scores;
- NEEDS: what is made before it is scored: "links" (ranked names, by `link_entities`),
  "predictions" (of classifiers, by `classify_texts`), or "translations" (ranked by
  `induce_lexicon` between the two sides, scored by `score_lexicon`);
- DEVELOPMENT: whether settings and stopping points can be chosen by its primary metric;
- evidence(dataset, entry, vectors, ranked): what its metrics are functions of (an `Evidence`), from
  a data set's block of items.json, the vectors of its strings and its ranked names or predictions;
- SUITE, unless it is the name of the task: the suite of its data sets that name none.
"""

from types import ModuleType

from workflow_scripts import plugins
from workflow_scripts.errors import UserError

TASKS = (
    *("similarity", "pair-classification", "entity-linking", "lexicon", "isotropy"),
    *("bitext-retrieval", "classification", "relatedness", "language-bias"),
)


def task(name: str) -> ModuleType:
    return plugins.load("scoring.tasks", name)


def needs(name: str, what: str) -> bool:
    """Return whether `what` is made before a task is scored; nothing is for one that is not."""
    return name in TASKS and what in task(name).NEEDS


def default_suite(name: str) -> str:
    """Return the suite of a task's data sets: what an encoder embeds in one job."""
    return getattr(task(name), "SUITE", name)


def development_tasks() -> list[str]:
    """Return the tasks on whose data sets settings can be chosen."""
    return [name for name in TASKS if task(name).DEVELOPMENT]


def check_development_task(dataset: str, name: str, where: str) -> None:
    """Raise `UserError`, naming the key or option, for a task without one score to choose by."""
    if name not in development_tasks():
        raise UserError(
            where,
            f"`{dataset}` is of task {name}",
            f"a development set needs task {' or '.join(development_tasks())}",
        )
