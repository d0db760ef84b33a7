"""The overview of all tables and figures: what tuning changes by task, cells counted, pages.

Scores of all tables are shown alike, times 100 with one digit after the point, so that 64.1 is a
rho of .641 as well as an accuracy of 64.1%.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any, NamedTuple

from markupsafe import Markup

from workflow_scripts.tables import numbers
from workflow_scripts.tables.cells import INSIDE, OUTSIDE, Cell
from workflow_scripts.tables.dot_plot import BETTER, UNCLEAR, WORSE, Change, dot_plot
from workflow_scripts.tables.filling import NO_PLACE

_DIGITS = 1
# both better and worse
MIXED = "mixed"
_VERBS = {BETTER: "Helps", WORSE: "Hurts", UNCLEAR: "May be chance"}


class Line(NamedTuple):
    """A task of a model: the cells of the tuned row and of its base, None where there is none.

    Values are shown times `factor`.
    """

    task: str
    address: str
    encoder: str
    models: Sequence[str]
    factor: int
    lower_is_better: bool
    base: Cell | None
    tuned: Cell | None
    # what is said of its training: "24 steps, 1,000,000 in the paper", or of an encoder that was
    # trained before the run
    smoke_test: str | None = None
    trained_before: str | None = None

    @property
    def ran(self) -> bool:
        return all(cell is not None and cell.mean is not None for cell in (self.base, self.tuned))

    @property
    def note(self) -> str:
        """The reason why there is no value."""
        missing = (cell for cell in (self.tuned, self.base) if cell and cell.mean is None)
        return next((cell.reasons[0] for cell in missing), "the table has no such row")

    @property
    def n(self) -> int | None:
        """The number of items that the tuned encoder is scored on."""
        return self.tuned.n if self.tuned else None

    @property
    def p_value(self) -> float | None:
        return self.tuned.p_value if self.tuned else None

    @property
    def outcome(self) -> str:
        """Whether tuning makes the score better or worse, beyond chance."""
        if self.tuned is None or not self.tuned.is_significant:
            return UNCLEAR
        return BETTER if (self.change > 0) != self.lower_is_better else WORSE

    @property
    def change(self) -> Decimal:
        """The difference of both scores as they are shown."""
        return self._rounded(self.tuned) - self._rounded(self.base)

    def value(self, value: float | Decimal) -> float:
        return float(value) * self.factor

    def _rounded(self, cell: Cell | None) -> Decimal:
        assert cell is not None and cell.mean is not None
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
        return _p_text([] if self.p_value is None else [self.p_value])

    @property
    def change_interval(self) -> tuple[float, float] | None:
        """The 95% interval of the difference, as scores are shown."""
        interval = self.tuned.against_interval if self.tuned else None
        return interval and (self.value(interval[0]), self.value(interval[1]))

    @property
    def interval_text(self) -> str:
        ends = self.change_interval or ()
        return " to ".join(shown_score(end, is_signed=True) for end in ends)

    @property
    def published(self) -> tuple[float, float] | None:
        """The paper's values of both rows, as scores are shown."""
        values = [cell.published for cell in (self.base, self.tuned) if cell]
        known = [self.value(value) for value in values if value is not None]
        return (known[0], known[1]) if len(known) == 2 else None

    @property
    def published_text(self) -> str:
        return " → ".join(map(shown_score, self.published)) if self.published else "–"

    @property
    def sentence(self) -> str:
        """The line in words: "BERT + Mirror: 64.1 → 66.7, +2.6 (p = .020), n = 900"."""
        n = "" if self.n is None else f", n = {self.n:,}"
        return f"{self.encoder}: {self.before} → {self.after}, {self.difference} ({self.p_text}){n}"

    @property
    def drawn(self) -> Change:
        """The line of the plot; the bar is the interval of the difference, from the base on."""
        assert self.base is not None and self.tuned is not None
        assert self.base.mean is not None and self.tuned.mean is not None
        before, ends = self.value(self.base.mean), self.change_interval
        n = "" if self.n is None else f", n = {self.n:,}"
        return Change(
            label=self.encoder,
            numbers=f"{self.before} → {self.after}{n}",
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


def _p_text(values: Sequence[float]) -> str:
    """Return a p value as the overview shows it, of several the smallest: "p ≥ .238"."""
    if not values:
        return "not tested"
    text = f"p {numbers.format_p(min(values))}".replace(" ", "\N{NO-BREAK SPACE}")
    return text if len(values) == 1 else text.replace("=", "≥")


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
        return _p_text([line.p_value for line in self.lines if line.p_value is not None])

    @property
    def verdict(self) -> str:
        """What the task shows: "Helps: +7.2 (p = .016). May be chance: −2.8 (p = .244)."."""
        texts: dict[str, list[str]] = {}
        for line in self.lines:
            texts.setdefault(line.outcome, []).append(f"{line.difference} ({line.p_text})")
        return " ".join(
            f"{verb}: {', '.join(texts[outcome])}."
            for outcome, verb in _VERBS.items()
            if outcome in texts
        )

    @property
    def trained_before(self) -> list[str]:
        """What is said of encoders that were trained before the run, each once."""
        texts = (line.trained_before for line in self.lines)
        return list(dict.fromkeys(text for text in texts if text is not None))

    def plot(self, name: str) -> Markup:
        """Return the dot plot of the lines; `name` is an id that the page has once."""
        title = f"{self.name}: scores before and after tuning"
        sentences = (f"{line.sentence}; paper {line.published_text}." for line in self.lines)
        return dot_plot([line.drawn for line in self.lines], name, title, " ".join(sentences))


def count(cells: Iterable[Cell]) -> dict[str, int]:
    """Return how many cells there are, ran, did not run, are compared with the paper, and how."""
    placed = [cell for cell in cells if cell.reasons != (NO_PLACE,)]
    status = Counter(cell.status for cell in placed)
    ran = sum(cell.mean is not None for cell in placed)
    compared = status[INSIDE] + status[OUTSIDE]
    counts = {"cells": len(placed), "ran": ran, "not_run": len(placed) - ran}
    assumed = sum(bool(cell.assumptions) for cell in placed if cell.is_compared)
    counts |= {"compared": compared, "inside": status[INSIDE], "outside": status[OUTSIDE]}
    return counts | {"assumed": assumed}


def _encoder(row: Mapping[str, Any]) -> str:
    if row["label"].startswith("+"):
        return f"{row['against_label']} {row['label']}"
    return f"{row['label']} vs {row['against_label']}"


def _factor(headline: Mapping[str, Any], cells: Iterable[Cell | None]) -> int:
    """Return 100 for fractions, 1 for percentages and for what is no score between -1 and 1."""
    means = (cell.mean for cell in cells if cell is not None and cell.mean is not None)
    return 1 if headline["percent"] or any(abs(mean) > 1 for mean in means) else 100


def lines(headlines: Iterable[Mapping[str, Any]], cells: Iterable[Cell]) -> list[Line]:
    """Return the lines that `headlines` name: table, task, column, and rows."""
    by_key = {(cell.table, cell.row, cell.column): cell for cell in cells}
    made = []
    for headline in headlines:
        table, column = headline["table"], headline["column"]
        pairs = [
            [by_key.get((table, row[key], column)) for key in ("against", "row")]
            for row in headline["rows"]
        ]
        shown = _factor(headline, (cell for pair in pairs for cell in pair))
        for row, (base, tuned) in zip(headline["rows"], pairs, strict=True):
            what = (headline["task"], f"{table}.html", _encoder(row), row["models"])
            training = row.get("smoke_test"), row.get("trained_before")
            made.append(Line(*what, shown, headline["lower_is_better"], base, tuned, *training))
    return made


def tasks(of_paper: Iterable[Line]) -> list[Task]:
    """Return the tasks of which a line ran that is no smoke test, in order."""
    ran = [line for line in of_paper if line.ran and line.smoke_test is None]
    groups = groupby(ran, key=lambda line: (line.task, line.address))
    return [Task(*key, list(group)) for key, group in groups]


def verdict(name: str, of_paper: Sequence[Task]) -> tuple[str, str]:
    """Return what the tasks of a paper show: a headline, and which tasks do not help.

    `name` is the title of the paper: "Mirror-BERT (Liu et al. 2021)".
    """
    by_outcome: dict[str, list[Task]] = {}
    for task in of_paper:
        by_outcome.setdefault(task.outcome, []).append(task)
    better = by_outcome.get(BETTER, [])
    count = "1 task" if len(of_paper) == 1 else f"{len(of_paper)} tasks"
    headline = f"{name} helps on {len(better)} of {count}"
    if better:
        headline += f": {_names(better)}"
    rest = []
    if worse := by_outcome.get(WORSE):
        rest.append(f"Hurts on {_names(worse)}.")
    if mixed := by_outcome.get(MIXED):
        rest.append(f"Helps one encoder and hurts another on {_names(mixed)}.")
    if unclear := by_outcome.get(UNCLEAR):
        shown = "; ".join(f"{task.name} ({task.p_text})" for task in unclear)
        rest.append(f"Not shown on {shown}.")
    return headline + ".", " ".join(rest)


def _names(of_tasks: Iterable[Task]) -> str:
    # a name may have a comma
    return "; ".join(task.name for task in of_tasks)


def by_task(pages: Iterable[Mapping[str, str]]) -> dict[str, list[Mapping[str, str]]]:
    """Return tables or figures by their task, in the order in which tasks come first."""
    pages_by_task: dict[str, list[Mapping[str, str]]] = {}
    for page in pages:
        pages_by_task.setdefault(page["task"], []).append(page)
    return pages_by_task
