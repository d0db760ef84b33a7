"""The report of `evaluate`: scores with their intervals, next to those of another encoder."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workflow_scripts.reports.page import (
    Column,
    Fact,
    Figure,
    Listing,
    Report,
    cut,
    cut_id,
    first_of,
)
from workflow_scripts.scoring.evaluation import Evaluation
from workflow_scripts.tables.cells import SIGNIFICANT
from workflow_scripts.tables.dot_plot import BETTER, UNCLEAR, WORSE, Change, dot_plot
from workflow_scripts.tables.numbers import (
    format_difference,
    format_interval,
    format_number,
    format_p,
)

if TYPE_CHECKING:
    from workflow_scripts.scoring.paired_differences import Difference

_MOST_LINES, _MOST_PLOTS, _MOST_ROWS, _MOST_FACTS = 40, 8, 300, 4
# of which a lower value is the better one, or neither
_NOT_HIGHER = ("mvn", "own_language")


def evaluation_report(evaluation: Evaluation, model: str, against: str | None = None) -> Report:
    """Return the report of the scores of `model`, compared with those of `against` if there is one.

    Both are names to show.
    """
    rows = [_with_texts(row) for row in evaluation.rows]
    # the table has the others
    metrics = list(dict.fromkeys(row["metric"] for row in rows))[:_MOST_PLOTS]
    compared = [row for row in rows if row.get("difference") is not None]
    figures = [
        _figure(metric, [row for row in rows if row["metric"] == metric], number, against)
        for number, metric in enumerate(metrics)
    ]
    title = f"Scores of {cut(model)}" + (f" next to {cut(against)}" if against else "")
    means = [row for row in evaluation.differences if row.dataset.startswith("mean of ")]
    return Report(
        title=title,
        verdict=_verdict(compared, cut(against)) if against else _summary(rows, evaluation.missing),
        facts=_facts(rows, means),
        figures=figures,
        listings=[_listing(rows, against)],
        notes=_notes(evaluation, against),
    )


def _with_texts(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "dataset": cut_id(row["dataset"]), "outcome": _outcome(row)}


def _outcome(row: Mapping[str, Any]) -> str:
    """Return what a difference is; a change of a metric that has no better side is unclear."""
    p_value = row.get("p_value")
    if p_value is None or p_value >= SIGNIFICANT or row["metric"].startswith(_NOT_HIGHER):
        return UNCLEAR
    return BETTER if row["difference"] > 0 else WORSE


def _verdict(compared: Sequence[Mapping[str, Any]], against: str) -> str:
    higher, lower = (sum(row["outcome"] == tone for row in compared) for tone in (BETTER, WORSE))
    total = len(compared)
    if higher == lower == 0:
        return f"On none of {total} scores do the items show a difference from {against} (p < .05)."
    parts = [f"Higher than {against} on {higher} of {total} scores"] if higher else []
    if lower:
        parts.append(
            f"lower on {lower}" if higher else f"Lower than {against} on {lower} of {total}"
        )
    rest = total - higher - lower
    end = f"; on the other {rest} the difference may be chance" if rest else ""
    return f"{', '.join(parts)} (p < .05){end}."


def _summary(rows: Sequence[Mapping[str, Any]], missing: Mapping[str, str]) -> str:
    sets = len({row["dataset"] for row in rows})
    left = f"; {len(missing)} left out, whose files are missing" if missing else ""
    return f"{len(rows)} scores on {sets} data set{'s' * (sets != 1)}{left}."


def _facts(rows: Sequence[Mapping[str, Any]], means: "Sequence[Difference]") -> list[Fact]:
    if means:
        return [
            Fact(
                f"{format_number(row.against)} → {format_number(row.value)}",
                f"{row.metric}, {row.dataset} data sets",
                f"{format_difference(row.difference)}"
                + (f", p {format_p(row.p_value)}" if row.p_value is not None else ""),
            )
            for row in means[:_MOST_FACTS]
        ]
    return [
        Fact(format_number(row["value"]), f"{row['dataset']}, {row['metric']}", _interval(row))
        for row in (rows if len(rows) <= _MOST_FACTS else [])
    ]


def _interval(row: Mapping[str, Any]) -> str:
    return "" if row["low"] is None else format_interval((row["low"], row["high"]))


def _figure(
    metric: str, rows: Sequence[Mapping[str, Any]], number: int, against: str | None
) -> Figure:
    shown = rows[:_MOST_LINES]
    changes = [_change(row) for row in shown]
    some = "" if len(shown) == len(rows) else f" The first {len(shown)} of {len(rows)}."
    text = "Bars: 95% intervals of the scores." + some
    legend: list[tuple[str, str]] = []
    if against is not None:
        text = f"Hollow: {cut(against)}. Full: this encoder; bar: 95% interval of the change.{some}"
        legend = [("better", "higher, p < .05"), ("worse", "lower, p < .05")]
        legend.append(("unclear", "may be chance"))
    title = f"{metric} by data set"
    described = "; ".join(f"{change.label}: {change.numbers}" for change in changes)
    return Figure(title, text, dot_plot(changes, f"plot{number}", title, described), legend)


def _change(row: Mapping[str, Any]) -> Change:
    """Return the line of a score; the bar is that of the change where there is one."""
    value, label = row["value"], f"{row['dataset']} (n {row['n']:,})"
    if row.get("difference") is None:
        numbers = f"{format_number(value)} {_interval(row)}".strip()
        return Change(label, numbers, value, value, row["low"], row["high"])
    base = row["against"]
    ends = [row["difference_low"], row["difference_high"]]
    low, high = (None if end is None else base + end for end in ends)
    numbers = f"{format_number(base)} → {format_number(value)}"
    return Change(label, numbers, base, value, low, high, row["outcome"])


def _listing(rows: Sequence[Mapping[str, Any]], against: str | None) -> Listing:
    labels = ["value", "95% interval", "n", "coverage"]
    if against is not None:
        labels[2:2] = ["before", "change", "95% of the change", "p"]
    columns = [Column("data set"), Column("metric"), *(Column(label, True) for label in labels)]
    listed = [_fields(row, against) for row in rows[:_MOST_ROWS]]
    text = f"{first_of(len(listed), len(rows), 'scores')}."
    if against is not None:
        text += f" Before: {cut(against)}. *: p < .05, each comparison by itself."
    return Listing("Scores", text, columns, listed)


def _fields(row: Mapping[str, Any], against: str | None) -> list[str]:
    start = [row["dataset"], row["metric"], format_number(row["value"]), _interval(row) or "–"]
    end = [f"{row['n']:,}", format_number(row["coverage"])]
    if against is None:
        return [*start, *end]
    if row.get("difference") is None:
        return [*start, *"––––", *end]
    ends, p_value = (row["difference_low"], row["difference_high"]), row["p_value"]
    interval = "–" if ends[0] is None else format_interval(ends)
    p_text = "–" if p_value is None else format_p(p_value).removeprefix("= ")
    star = "*" if p_value is not None and p_value < SIGNIFICANT else ""
    change = [format_number(row["against"]), format_difference(row["difference"]) + star]
    return [*start, *change, interval, p_text, *end]


def _notes(evaluation: Evaluation, against: str | None) -> list[tuple[str, str]]:
    record = evaluation.record
    notes = [("Encoder", _encoder_text(record))]
    if against is not None:
        notes.append(("Compared with", _encoder_text(record["against"])))
        notes.append(
            ("Test", "two-sided paired bootstrap over items; not corrected for multiple tests")
        )
        notes += [("Seen", sentence) for sentence in evaluation.verdicts[:_MOST_LINES]]
    notes.append(("Intervals", "95%, bootstrap over items"))
    for part, block in evaluation.choices.items():
        notes.append((part, ", ".join(f"{key} {value}" for key, value in block.items())))
    notes += [("Left out", f"{name}: no {file}") for name, file in evaluation.missing.items()]
    return notes


def _encoder_text(record: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    others = ("versions", "against", "datasets", "left_out", "retrieval", "classification")
    settings = {
        key: value if isinstance(value, str | int) else json.dumps(value, ensure_ascii=False)
        for key, value in record.items()
        if key not in ("model", *others)
    }
    listed = ", ".join(f"{key} {value}" for key, value in settings.items())
    return f"{record['model']}: {listed}; {versions}"
