"""The plugins that CONTRIBUTING.md shows do what it says; others are tested next to their kind."""

import re
from types import ModuleType

import numpy as np
import pytest

from workflow_scripts.scoring import evidence as kinds_of_evidence
from workflow_scripts.scoring.tasks import similarity


@pytest.fixture(scope="module")
def shown_task(project):
    section = (project / "CONTRIBUTING.md").read_text().split("\n### A task\n")[1]
    module = ModuleType("dot_similarity")
    exec(re.search(r"^```python\n(.*?)^```$", section, flags=re.M | re.S)[1], vars(module))
    return module


def test_the_task_has_what_the_register_asks_for(shown_task):
    asked = [name for name in vars(similarity) if name.isupper() and name != "TYPE_CHECKING"]
    assert {*asked} <= {*vars(shown_task)}
    assert shown_task.ITEMS == similarity.ITEMS and shown_task.SUITE == "similarity"


def test_the_task_scores_pairs_by_dot_products(shown_task):
    vectors = np.array([[1.0, 2.0], [3.0, 0.5], [-1.0, 4.0]])
    entry = {"left": [0, 1], "right": [1, 2], "gold": [5, 1]}
    measured = shown_task.evidence("pairs", entry, vectors)
    assert isinstance(measured, kinds_of_evidence.Predictions) and measured.n == 2
    # 1 * 3 + 2 * .5 and 3 * -1 + .5 * 4
    assert measured.predicted.tolist() == [4.0, -1.0] and measured.gold.tolist() == [5.0, 1.0]
