"""Which metrics tables, figures and `evaluate` may name, for the plan of a run and for commands.

Each is a module of this folder: `spearman` is spearman.py, `accuracy@5` is accuracy_at.py with 5. A
step gets the names of those that cells request and loads these alone; it does not load this file,
so that a further line reruns nothing. A module has

- its docstring, whose first paragraph docs/reference/config.md shows;
- metric(evidence), of a name with a number metric(evidence, number): from what the `evidence` of
  its task holds, a function of how often each item counts (`weighted_metrics.Metric`), which gets
  an interval; or a value that is not a function of items; or None where it has no value;
- details(evidence, number), if there are any: further rows below its own, by name, as (value,
  number of items).
"""

from workflow_scripts.scoring.language_shares import NEIGHBOURS, own_share
from workflow_scripts.scoring.tasks.register import task

# the first is the primary one
_OWN_SHARES = [own_share(k, pcr) for k in NEIGHBOURS for pcr in (False, True)]
# of each task, next to its primary metric, which its module names
FURTHER = {
    "similarity": ("auc",),
    "entity-linking": ("accuracy@5",),
    "lexicon": ("accuracy@5",),
    "isotropy": ("is_eig", "mvn"),
    "bitext-retrieval": ("accuracy_from_english", "accuracy_pcr", "accuracy_pcr_from_english"),
    "relatedness": ("spearman",),
    "language-bias": (*_OWN_SHARES[1:], "own_language_expected"),
}


def metrics_of(name: str) -> tuple[str, ...]:
    """Return the metrics of a task, the primary one first."""
    return task(name).PRIMARY, *FURTHER.get(name, ())
