"""ROC curves with the area under each (paper, section 4.2 and Figure 4)."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.figures.blocks import Curve, FigureBlock, NotRun, RocBlock
from workflow_scripts.figures.inputs import FigureInputs
from workflow_scripts.figures.plots import Plot, Point, interval_text, value_text
from workflow_scripts.figures.series import measure, not_run_cell, sample_facts
from workflow_scripts.figures.style import (
    COLUMN_WIDTH,
    GREY,
    line_count,
    line_style,
    new_figure,
    wrapped,
)
from workflow_scripts.scoring.pair_classification import roc_curve
from workflow_scripts.tables.numbers import format_number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN = "auc"
# largest difference between an area in the scores and the area under the curve that is drawn
ROUNDING = 1e-3


def corners(false: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of a ROC curve at which its direction changes, and its ends."""
    run, rise = np.diff(false), np.diff(true)
    # twice the area of the triangle of a point and its neighbours; rates are multiples of 1 / n
    bends = np.abs(run[:-1] * rise[1:] - rise[:-1] * run[1:]) > 1e-12
    kept = np.concatenate([[True], bends, [True]])
    return false[kept], true[kept]


def plot_roc(
    block: FigureBlock,
    content: RocBlock,
    inputs: FigureInputs,
    published: Mapping[tuple[str, str], Decimal],
) -> Plot:
    """Return the ROC curves of a block: of each, the curve of its first seed.

    The area is the mean over seeds, from the scores. Raises `UserError` for missing data, and if
    cosines do not give the area that the scores state.
    """
    cells = {
        entry.id: not_run_cell(entry) if isinstance(entry, NotRun) else (entry.label, entry.cell)
        for entry in content.curves
    }
    table = measure(block.id, COLUMN, cells, inputs, published)
    ran = [entry for entry in content.curves if isinstance(entry, Curve)]
    points: list[Point] = []
    first_seeds = []
    for curve in ran:
        cosines, labels = inputs.pairs(curve.details[0], content.dataset)
        false, true = roc_curve(cosines, labels)
        first_seeds.append(_first_seed(curve, content.dataset, false, true, inputs))
        points += [
            Point(content.dataset, curve.id, float(x), float(y))
            for x, y in zip(*corners(false, true), strict=True)
        ]
    facts = []
    if ran:
        _, labels = inputs.pairs(ran[0].details[0], content.dataset)
        facts = [
            "A pair is ranked by the cosine of its two vectors; the curve goes through all "
            "thresholds. AUC: area under the curve, mean over seeds ± sample standard deviation "
            "(a single run has none); the interval is the 95% bootstrap interval over pairs.",
            f"Each curve is that of one run: {_drawn_seeds(ran, first_seeds)}.",
            *sample_facts(table),
            f"Of the pairs, {int(labels.sum()):,} are positive and "
            f"{int((labels == 0).sum()):,} negative.",
            "Diagonal: a ranking by chance, AUC .500.",
        ]
    return Plot(
        points=tuple(points),
        facts=tuple(facts),
        numbers=(
            ("Curve", "AUC", "95% interval", "Seeds", "Paper"),
            *(
                (
                    curve.label,
                    value_text(cell),
                    interval_text(cell),
                    str(cell.seeds),
                    "–" if cell.published is None else format_number(cell.published),
                )
                for curve in ran
                for cell in [table.cells[curve.id, COLUMN]]
            ),
        ),
        not_run=tuple(entry for entry in content.curves if isinstance(entry, NotRun)),
        draw=lambda: _draw(
            ran,
            points,
            {curve.id: value_text(table.cells[curve.id, COLUMN]) for curve in ran},
        ),
        values=table,
    )


def _first_seed(
    curve: Curve, dataset: str, false: np.ndarray, true: np.ndarray, inputs: FigureInputs
) -> int:
    """Return the seed whose curve is drawn, after a check of its area."""
    path = curve.cell.parts[0].scores[0]
    (score,) = (s for s in inputs.scores[path] if (s.dataset, s.metric) == (dataset, COLUMN))
    area = float(np.trapezoid(true, false))
    if abs(area - score.value) > ROUNDING:
        raise UserError(
            f"{curve.details[0]}: its cosines give an AUC of {area:.6f}, but {path} says "
            f"{score.value:.6f}; they are of different runs: score the encoder again"
        )
    return score.seed


def _drawn_seeds(ran: Sequence[Curve], seeds: Sequence[int]) -> str:
    if len(set(seeds)) == 1:
        return f"seed {seeds[0]}, the first"
    named = [f"{curve.label}, seed {seed}" for curve, seed in zip(ran, seeds, strict=True)]
    return "the first seed of each (" + "; ".join(named) + ")"


def _draw(ran: Sequence[Curve], points: Sequence[Point], areas: Mapping[str, str]) -> "Figure":
    labels = [wrapped(f"{curve.label}: {areas[curve.id]}") for curve in ran]
    figure = new_figure(COLUMN_WIDTH + 0.4 + 0.14 * line_count(labels))
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.6, zorder=1, label="chance: .500")
    families = list(dict.fromkeys(curve.group or curve.id for curve in ran))
    for position, (curve, label) in enumerate(zip(ran, labels, strict=True)):
        own = [point for point in points if point.series == curve.id]
        axes.plot(
            [point.x for point in own],
            [point.y for point in own],
            label=label,
            # signs at intervals along the curve, those of the next curve a little further on
            markevery=(0.05 + 0.12 * position / len(ran), 0.17),
            **line_style(position, families.index(curve.group or curve.id)),
        )
    axes.set(
        xlim=(0, 1),
        ylim=(0, 1),
        aspect="equal",
        xlabel="False positive rate (fraction of negative pairs)",
        ylabel="True positive rate (fraction of positive pairs)",
    )
    figure.legend(loc="outside lower center", title="AUC (mean ± deviation over seeds)")
    return figure
