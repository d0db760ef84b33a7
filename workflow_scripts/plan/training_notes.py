"""What pages say of the training behind a row, where a reader would take it for another."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.comparability import frozen, unique
from workflow_scripts.plan.encoders import Encoder
from workflow_scripts.plan.typed import Typed
from workflow_scripts.tables.document import OWN

# a recipe with less than a hundredth of the paper's steps shows that everything runs, no more
_SMOKE_TEST = 100


def _before_run(typed: Typed, encoder: Encoder) -> str | None:
    """Return the encoder of before the run that an encoder is, or that its training starts from."""
    chain = typed.with_starts(encoder)
    return next((typed.trained[made].text for made in chain if made in typed.trained), None)


def _smoke_test(typed: Typed, paper: str, encoder: Encoder) -> str | None:
    """Return "24 steps, 1,000,000 in the paper" of an encoder trained, or on from one trained, for
    far fewer steps than the paper's; else None."""
    for recipe in reversed(typed.recipes_of(encoder)):
        steps = getattr(typed.recipes[recipe], "steps", None)
        published = _published_steps(typed, paper, recipe)
        if steps and published and steps * _SMOKE_TEST < published:
            return f"{steps:,} steps, {published:,} in the paper"
    return None


def _published_steps(typed: Typed, paper: str, recipe: str) -> int | None:
    """Return the steps of the paper's recipe of that name, or of the one that it is `like`.

    A table without a paper has the recipes of all.
    """
    known: dict[str, Any] = {}
    for known_paper in typed.config.papers if paper == OWN else [paper]:
        known |= frozen(known_paper)["recipes"]
    name = recipe
    while name not in known and (like := typed.config.recipes[name].get("like")) is not None:
        name = like
    return known.get(name, {}).get("steps")


class TrainedRow(NamedTuple):
    """Notes on the training behind a row: each text once, in order."""

    id: str
    label: str
    before: list[str]
    smoke_tests: list[str]


def trained_rows(cells: Cells, section: str, name: str) -> list[TrainedRow]:
    """Return the rows of a table, or what a figure draws, each once, in order."""
    typed, paper = cells.typed, getattr(cells.typed, section)[name].paper
    encoders: dict[tuple[str, str], dict[Encoder, None]] = defaultdict(dict)
    for cell, requested in cells.requests.requested[section, name].items():
        # buckets of a figure have only their corpus
        label = (requested[0] if section == "tables" else requested).get("label") or cell[1]
        for request in cells.requests.cells[section, name][cell]:
            of_first_seed = request.encoders[0] if request.encoders else ()
            encoders[cell[0], label].update(dict.fromkeys(of_first_seed))

    return [
        TrainedRow(
            *key,
            unique(filter(None, (_before_run(typed, encoder) for encoder in of_row))),
            unique(filter(None, (_smoke_test(typed, paper, encoder) for encoder in of_row))),
        )
        for key, of_row in encoders.items()
    ]


def training_notes(rows: Iterable[TrainedRow]) -> list[str]:
    """Return the notes of a table or figure on rows trained before, and on smoke tests."""
    # labels by text, each once
    before: dict[str, dict[str, None]] = defaultdict(dict)
    smoke_tests: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        for text in row.before:
            before[text][row.label] = None
        for text in row.smoke_tests:
            smoke_tests[text][row.label] = None
    notes = [
        f"Trained before this run, or on from an encoder that was: {', '.join(labels)} ({text})."
        for text, labels in before.items()
    ]
    notes += [
        f"Smoke test: {', '.join(labels)} ({text}). It shows that everything runs, not what the "
        "method can do."
        for text, labels in smoke_tests.items()
    ]
    return notes
