"""What pages say of the training behind a row, where a reader would take it for another."""

from collections import defaultdict
from typing import Any

from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.comparability import frozen
from workflow_scripts.plan.encoders import Encoder
from workflow_scripts.plan.typed import Typed
from workflow_scripts.tables.document import OWN

# a recipe with less than a hundredth of the paper's steps shows that everything runs, no more
_SMOKE_TEST = 100


def before_run(typed: Typed, encoder: Encoder) -> str | None:
    """Return the encoder of before the run that an encoder is, or that its training starts from."""
    current: Encoder | None = encoder
    while current is not None:
        if (trained := typed.trained.get(current)) is not None:
            return trained.text
        current = typed.start_of(current)
    return None


def smoke_test(typed: Typed, paper: str, encoder: Encoder) -> str | None:
    """Return "24 steps, 1,000,000 in the paper" of an encoder trained, or on from one trained, for
    far fewer steps than the paper's; else None."""
    current: Encoder | None = encoder
    while current is not None and current not in typed.trained:
        steps = getattr(typed.recipes[current.recipe], "steps", None)
        published = _published_steps(typed, paper, current.recipe)
        if steps and published and steps * _SMOKE_TEST < published:
            return f"{steps:,} steps, {published:,} in the paper"
        current = typed.start_of(current)
    return None


def _published_steps(typed: Typed, paper: str, recipe: str) -> int | None:
    """Return the steps of the paper's recipe of that name, or of the one that it is `like`.

    A table of no paper has the recipes of all.
    """
    known: dict[str, Any] = {}
    for known_paper in typed.config.papers if paper == OWN else [paper]:
        known |= frozen(known_paper)["recipes"]
    name = recipe
    while name not in known and (like := typed.config.recipes[name].get("like")) is not None:
        name = like
    return known.get(name, {}).get("steps")


def smoke_test_rows(cells: Cells, table: str) -> set[str]:
    """Return the ids of the rows of a table that are smoke tests."""
    paper = cells.typed.tables[table].paper
    return {
        row
        for (row, _), requests in cells.requests.cells["tables", table].items()
        for request in requests
        for encoder in (request.encoders[0] if request.encoders else ())
        if smoke_test(cells.typed, paper, encoder) is not None
    }


def training_notes(cells: Cells, section: str, name: str) -> list[str]:
    """Return the notes of a table or figure on rows trained before, and on smoke tests."""
    typed, paper = cells.typed, getattr(cells.typed, section)[name].paper
    before: dict[str, dict[str, None]] = defaultdict(dict)
    smoke: dict[str, dict[str, None]] = defaultdict(dict)
    for cell, requested in cells.requests.requested[section, name].items():
        row = requested[0] if section == "tables" else requested
        label = row.get("label") or cell[0]
        for request in cells.requests.cells[section, name][cell]:
            for encoder in request.encoders[0] if request.encoders else ():
                if (text := before_run(typed, encoder)) is not None:
                    before[text][label] = None
                if (text := smoke_test(typed, paper, encoder)) is not None:
                    smoke[text][label] = None
    notes = [
        f"Trained before this run, or on from an encoder that was: {', '.join(labels)} ({text})."
        for text, labels in before.items()
    ]
    notes += [
        f"Smoke test: {', '.join(labels)} ({text}). It shows that everything runs, not what the "
        "method can do."
        for text, labels in smoke.items()
    ]
    return notes
