"""How a block of docs/explanation/performance.md shows measurements: rows, columns and aims."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from benchmarks.sections import OURS

STEP, LOOP, PEAK, RHO = "seconds_per_step", "loop_seconds", "peak_memory", "spearman"
PROCESSOR, FITS = "processor_seconds_per_step", "processor_seconds"
MIB, FASTER = 2**-20, "at least {:g} times as fast"
# {(section, task, way, measure): {run: value}}
Values = Mapping[tuple[str, str, str, str], Mapping[int, str]]


class Shown(NamedTuple):
    """A column or an aim: a measure of a way, or its relation to another way's, round by round.

    The relation is `over` / way, way / `under` or way - `minus`. Shown is their median or another
    `statistic`; with None the range as well. `bound` is the least value of an aim whose text has
    "at least", else the largest size.
    """

    text: str
    measure: str
    form: str
    over: str = ""
    under: str = ""
    minus: str = ""
    statistic: Callable[[list[float]], float] | None = median
    scale: float = 1
    missing: str = "-"
    task: str = ""
    way: str = OURS
    bound: float = 0

    def of(self, values: Values, section: str, task: str, way: str) -> list[float]:
        """Return the values of all runs."""

        def find(way: str) -> dict[int, float]:
            found = values.get((section, task, way, self.measure), {})
            return {run: self.scale * float(text) for run, text in found.items()}

        first, second = find(self.over or way), find(way if self.over else self.under or self.minus)
        if not (self.over or self.under or self.minus):
            return list(first.values())
        pairs = [(first[run], second[run]) for run in first if run in second]
        return [one - other if self.minus else one / other for one, other in pairs]

    def write(self, found: list[float]) -> str:
        """Return the statistic of the values, or their median and range."""
        if not found:
            return self.missing
        if self.statistic:
            return format(self.statistic(found), self.form)
        low, middle, high = (format(one(found), self.form) for one in (min, median, max))
        return f"{middle} ({low} to {high})" if len(found) > 1 else middle

    def verdict(self, values: Values, section: str, task: str) -> str:
        """Return the line on an aim of a part, whose first task is `task`."""
        found = self.of(values, section, self.task or task, self.way)
        text = self.text.format(self.bound)
        if not found:
            return f"- Aim: {text}: not measured\n"
        least = "at least" in text
        reached = median(found) >= self.bound if least else abs(median(found)) <= self.bound
        written = self._replace(statistic=None).write(found)
        return f"- Aim: {text}: {'reached' if reached else '**missed**'}, {written}\n"


class Part(NamedTuple):
    """A block: rows of label, task and way, a description, columns, verdicts, and what follows."""

    section: str
    rows: Sequence[tuple[str, str, str]]
    about: str
    columns: Sequence[Shown]
    aims: Sequence[Shown] = ()
    after: Callable[[Values], str] = lambda values: ""
    missing: str = "Not measured."


def aim(text: str, bound: float, measure: str, form: str = ".2f", **options: Any) -> Shown:
    """Return an aim; `options` are how it is related, and task and way where not the part's."""
    return Shown(text, measure, form, bound=bound, **options)
