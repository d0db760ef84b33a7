"""The overview of all tables and figures: what tuning changes by task, cells counted, pages.

Scores of all tables are shown alike, times 100 with one digit after the point, so that 64.1 is a
rho of .641 as well as an accuracy of 64.1%.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain, groupby
from typing import Any, NamedTuple

from markupsafe import Markup

from workflow_scripts.tables import numbers
from workflow_scripts.tables.cells import INSIDE, Cell
from workflow_scripts.tables.dot_plot import BETTER, UNCLEAR, WORSE, Change, dot_plot
from workflow_scripts.tables.filling import NO_PLACE

_DIGITS = 1
# both better and worse
MIXED = "mixed"
# the cell of a row that a table lacks
_NO_ROW = Cell("", "", "", reasons=("the table has no such row",))
_VERBS = {BETTER: "Helps", WORSE: "Hurts", UNCLEAR: "May be chance"}


class Line(NamedTuple):
    """A task of a model: the cells of the tuned row and of its base. Values are times `factor`."""

    task: str
    address: str
    encoder: str
    factor: int
    lower_is_better: bool
    base: Cell
    tuned: Cell
    # notes on its training, such as "24 steps, 1,000,000 in the paper", and on an encoder that was
    # trained before the run
    smoke_test: str | None = None
    trained_before: str | None = None

    @property
    def ran(self) -> bool:
        return self.base.mean is not None and self.tuned.mean is not None

    @property
    def note(self) -> str:
        """The reason for a missing value."""
        return next(cell.reasons[0] for cell in (self.tuned, self.base) if cell.mean is None)

    @property
    def outcome(self) -> str:
        """Whether tuning makes the score better or worse, beyond chance."""
        if not self.tuned.is_significant:
            return UNCLEAR
        return BETTER if (self.change > 0) != self.lower_is_better else WORSE

    @property
    def change(self) -> Decimal:
        """The difference of both scores as they are shown."""
        return self._rounded(self.tuned) - self._rounded(self.base)

    def value(self, value: float | Decimal | None) -> float:
        assert value is not None
        return float(value) * self.factor

    def _rounded(self, cell: Cell) -> Decimal:
        return numbers.rounded(self.value(cell.mean), _DIGITS)

    @property
    def before(self) -> str:
        return shown_score(self._rounded(self.base))

    @property
    def after(self) -> str:
        return shown_score(self._rounded(self.tuned))

    @property
    def difference(self) -> str:
        return shown_score(self.change, is_signed=True)

    @property
    def p_text(self) -> str:
        return _p_text([self.tuned.p_value])

    @property
    def change_interval(self) -> tuple[float, float] | None:
        """The 95% interval of the difference, as scores are shown."""
        interval = self.tuned.against_interval
        return interval and (self.value(interval[0]), self.value(interval[1]))

    @property
    def interval_text(self) -> str:
        ends = self.change_interval or ()
        return " to ".join(shown_score(end, is_signed=True) for end in ends)

    @property
    def published(self) -> tuple[float, float] | None:
        """The paper's values of both rows, as scores are shown."""
        base, tuned = self.base.published, self.tuned.published
        return None if None in (base, tuned) else (self.value(base), self.value(tuned))

    @property
    def published_text(self) -> str:
        return " → ".join(map(shown_score, self.published)) if self.published else "–"

    @property
    def n_text(self) -> str:
        """The number of items that the tuned encoder is scored on, after a comma."""
        return "" if self.tuned.n is None else f", n = {self.tuned.n:,}"

    @property
    def sentence(self) -> str:
        """The line in words: "BERT + Mirror: 64.1 → 66.7, +2.6 (p = .020), n = 900"."""
        scores = f"{self.before} → {self.after}, {self.difference} ({self.p_text})"
        return f"{self.encoder}: {scores}{self.n_text}"

    @property
    def drawn(self) -> Change:
        """The line of the plot; the bar is the interval of the difference, from the base on."""
        before, ends = self.value(self.base.mean), self.change_interval
        return Change(
            label=self.encoder,
            numbers=f"{self.before} → {self.after}{self.n_text}",
            before=before,
            after=self.value(self.tuned.mean),
            low=before + ends[0] if ends else None,
            high=before + ends[1] if ends else None,
            tone=self.outcome,
            reference=self.published,
        )


def shown_score(value: float | Decimal, is_signed: bool = False) -> str:
    """Return a score or a difference as the overview shows it: 64.1, +2.6, −4.1, 0.0."""
    rounded = numbers.rounded(value, _DIGITS)
    sign = "−" if rounded < 0 else "+" if is_signed and rounded > 0 else ""
    return f"{sign}{abs(rounded)}"


def _p_text(values: Iterable[float | None]) -> str:
    """Return a p value as the overview shows it, of several the smallest: "p ≥ .238"."""
    tested = [value for value in values if value is not None]
    if not tested:
        return "not tested"
    text = f"p {numbers.format_p(min(tested))}".replace(" ", "\N{NO-BREAK SPACE}")
    return text if len(tested) == 1 else text.replace("=", "≥")


class Task(NamedTuple):
    """The lines of a task that ran, with what they show together."""

    name: str
    address: str
    lines: Sequence[Line]

    @property
    def outcome(self) -> str:
        outcomes = {line.outcome for line in self.lines} - {UNCLEAR}
        return MIXED if len(outcomes) > 1 else outcomes.pop() if outcomes else UNCLEAR

    @property
    def p_text(self) -> str:
        """The p value of a task that shows nothing: the smallest where there are several."""
        return _p_text(line.tuned.p_value for line in self.lines)

    @property
    def verdict(self) -> str:
        """What the task shows: "Helps: +7.2 (p = .016). May be chance: −2.8 (p = .244)."."""
        texts = defaultdict(list)
        for line in self.lines:
            texts[_VERBS[line.outcome]].append(f"{line.difference} ({line.p_text})")
        return " ".join(
            f"{verb}: {', '.join(texts[verb])}." for verb in _VERBS.values() if verb in texts
        )

    @property
    def trained_before(self) -> list[str]:
        """Notes on encoders that were trained before the run, each once."""
        return list(dict.fromkeys(filter(None, (line.trained_before for line in self.lines))))

    def plot(self, name: str) -> Markup:
        """Return the dot plot of the lines; `name` is an id that is unique on the page."""
        title = f"{self.name}: scores before and after tuning"
        sentences = (f"{line.sentence}; paper {line.published_text}." for line in self.lines)
        return dot_plot([line.drawn for line in self.lines], name, title, " ".join(sentences))


def count(cells: Iterable[Cell]) -> dict[str, int]:
    """Return how many cells there are, ran, did not run, are compared with the paper, and how."""
    placed = [cell for cell in cells if cell.reasons != (NO_PLACE,)]
    compared = [cell for cell in placed if cell.is_compared]
    inside = sum(cell.status == INSIDE for cell in compared)
    return {
        "cells": len(placed),
        "ran": sum(cell.mean is not None for cell in placed),
        "compared": len(compared),
        "inside": inside,
        "outside": len(compared) - inside,
        "assumed": sum(bool(cell.assumptions) for cell in compared),
    }


def _encoder(row: Mapping[str, Any]) -> str:
    if row["label"].startswith("+"):
        return f"{row['against_label']} {row['label']}"
    return f"{row['label']} vs {row['against_label']}"


def lines(headlines: Iterable[Mapping[str, Any]], cells: Iterable[Cell]) -> list[Line]:
    """Return the lines that `headlines` name: table, task, column, and rows."""
    by_key = {(cell.table, cell.row, cell.column): cell for cell in cells}
    made = []
    for headline in headlines:
        table, column = headline["table"], headline["column"]
        pairs = [
            [by_key.get((table, row[key], column), _NO_ROW) for key in ("against", "row")]
            for row in headline["rows"]
        ]
        means = [cell.mean for cell in chain.from_iterable(pairs) if cell.mean is not None]
        # percentages, and values other than scores between -1 and 1, stay unchanged
        factor = 1 if headline["percent"] or any(abs(mean) > 1 for mean in means) else 100
        for row, (base, tuned) in zip(headline["rows"], pairs, strict=True):
            what = (headline["task"], f"{table}.html", _encoder(row), factor)
            training = row.get("smoke_test"), row.get("trained_before")
            made.append(Line(*what, headline["lower_is_better"], base, tuned, *training))
    return made


def tasks(of_paper: Iterable[Line]) -> list[Task]:
    """Return the tasks with a line that ran and is not a smoke test, in order."""
    ran = [line for line in of_paper if line.ran and line.smoke_test is None]
    groups = groupby(ran, key=lambda line: (line.task, line.address))
    return [Task(*key, list(group)) for key, group in groups]


def verdict(name: str, of_paper: Sequence[Task]) -> tuple[str, str]:
    """Return what the tasks of a paper show: a headline, and which tasks do not help.

    `name` is the title of the paper: "Mirror-BERT (Liu et al. 2021)".
    """
    by_outcome = defaultdict(list)
    for task in of_paper:
        by_outcome[task.outcome].append(task)
    better = by_outcome[BETTER]
    count = "1 task" if len(of_paper) == 1 else f"{len(of_paper)} tasks"
    headline = f"{name} helps on {len(better)} of {count}"
    if better:
        headline += f": {_names(better)}"
    rest = []
    if worse := by_outcome[WORSE]:
        rest.append(f"Hurts on {_names(worse)}.")
    if mixed := by_outcome[MIXED]:
        rest.append(f"Helps one encoder and hurts another on {_names(mixed)}.")
    if unclear := by_outcome[UNCLEAR]:
        shown = "; ".join(f"{task.name} ({task.p_text})" for task in unclear)
        rest.append(f"Not shown on {shown}.")
    return headline + ".", " ".join(rest)


def _names(of_tasks: Iterable[Task]) -> str:
    # a name may have a comma
    return "; ".join(task.name for task in of_tasks)


def by_task(pages: Iterable[Mapping[str, str]]) -> dict[str, list[Mapping[str, str]]]:
    """Return tables or figures by their task, in the order in which tasks come first."""
    pages_by_task = defaultdict(list)
    for page in pages:
        pages_by_task[page["task"]].append(page)
    return pages_by_task
