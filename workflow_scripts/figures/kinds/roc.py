"""ROC curves with the area under each (paper, section 4.2 and Figure 4)."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.figures import plots, style
from workflow_scripts.figures.config import PairsFigure
from workflow_scripts.figures.plots import Entry, Plot, Point
from workflow_scripts.scoring.tidy_scores import read_scores
from workflow_scripts.tables.document import DASH
from workflow_scripts.tables.numbers import format_number
from workflow_scripts.tables.table import Table

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

COLUMN = "auc"
# how far an area may be from the published one
TOLERANCE = 0.01
# largest difference between an area in the scores and the area under the curve that is drawn
ROUNDING = 1e-3
# lines of a legend within the axes, and how much shorter than below them
MOST_INSIDE, LESS_INSIDE = 7, 14


class Config(PairsFigure):
    """ROC curves of a data set of labelled pairs, one for each row."""


def requested_cells(config: Config) -> list[dict[str, Any]]:
    return [row | {"tolerance": TOLERANCE} for row in config.requested_cells()]


def resolve(config: Config, cells: Any, run: Any) -> dict[str, Any]:
    curves = [plots.entry(cell, "id", "label", "group") | cell.block for cell in cells]
    return {"dataset": config.dataset, "curves": curves}


def roc_curve(cosines: "np.ndarray", labels: "np.ndarray") -> "tuple[np.ndarray, np.ndarray]":
    """Return false- and true-positive rates, float64 [distinct cosines + 1] each, from 0 to 1.

    Labels are 1 (positive) and 0. Point i takes pairs with one of the i largest distinct cosines.
    """
    import numpy as np

    order = np.argsort(-np.asarray(cosines, dtype=np.float64), kind="stable")
    ordered = np.asarray(cosines)[order]
    # a threshold is below the last of equal cosines
    last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
    true = np.cumsum(np.asarray(labels, dtype=np.int64)[order])[last]
    false = 1 + last - true
    return np.append(0, false) / false[-1], np.append(0, true) / true[-1]


def corners(false: "np.ndarray", true: "np.ndarray") -> "tuple[np.ndarray, np.ndarray]":
    """Return the points of a ROC curve at which its direction changes, and its ends."""
    import numpy as np

    run, rise = np.diff(false), np.diff(true)
    # twice the area of the triangle of a point and its neighbours; rates are multiples of 1 / n
    bends = np.abs(run[:-1] * rise[1:] - rise[:-1] * run[1:]) > 1e-12
    kept = np.concatenate([[True], bends, [True]])
    return false[kept], true[kept]


def plot(block: dict[str, Any]) -> Plot:
    """Return the ROC curves of a block, of the first seed each; the area is the mean over seeds.

    Raises `UserError` for missing data, and if cosines do not give the area that the scores state.
    """
    ran, dataset = plots.that_ran(block["curves"]), block["dataset"]
    points: list[Point] = []
    seeds = []
    for curve in ran:
        path = curve["parts"][0]["scores"][0]
        cosines, labels = plots.read_pairs(path, dataset)
        rates = roc_curve(cosines, labels)
        seeds.append(_first_seed(path, dataset, *rates))
        drawn = zip(*corners(*rates), strict=True)
        points += [Point(dataset, curve["id"], float(x), float(y)) for x, y in drawn]
    table = plots.measure(block, COLUMN, block["curves"])
    if not ran:
        return Plot(block["curves"], values=table)
    numbers = [("Curve", "AUC", "95% interval", "Seeds", "Paper")]
    for curve in ran:
        cell = table.cells[curve["id"], COLUMN]
        paper = DASH if cell.published is None else format_number(cell.published)
        numbers.append((curve["label"], *plots.value_texts(cell), paper))
    facts = [
        "A pair is ranked by the cosine of its two vectors; the curve goes through all "
        "thresholds. AUC: area under the curve, mean over seeds ± sample standard deviation "
        "(a single run has none); the interval is the 95% bootstrap interval over pairs.",
        f"Each curve is that of one run: {_drawn_seeds(ran, seeds)}.",
        *plots.sample_facts(table),
        f"Of the pairs, {int(labels.sum()):,} are positive and "
        f"{int((labels == 0).sum()):,} negative.",
        "Diagonal: a ranking by chance, AUC .500.",
    ]
    draw = partial(_draw, block, ran, points, table)
    return Plot(block["curves"], points, facts, numbers, draw, table)


def _first_seed(path: str, dataset: str, false: "np.ndarray", true: "np.ndarray") -> int:
    """Return the seed whose curve is drawn, after a check of its area."""
    import numpy as np

    with damaged_file_error(path):
        (score,) = (s for s in read_scores(path) if (s.dataset, s.metric) == (dataset, COLUMN))
    area = float(np.trapezoid(true, false))
    if abs(area - score.value) > ROUNDING:
        raise UserError(
            path,
            f"its AUC is {score.value:.6f}, but the cosines stored with it give {area:.6f}",
            "they come from different runs: score the encoder again",
        )
    return score.seed


def _drawn_seeds(ran: Sequence[Entry], seeds: Sequence[int]) -> str:
    if len(set(seeds)) == 1:
        return f"seed {seeds[0]}, the first"
    named = [f"{curve['label']}, seed {seed}" for curve, seed in zip(ran, seeds, strict=True)]
    return "the first seed of each (" + "; ".join(named) + ")"


def _draw(block: Entry, ran: Sequence[Entry], points: Sequence[Point], table: Table) -> "Figure":
    look = style.style_of(block)
    cells = [table.cells[curve["id"], COLUMN] for curve in ran]
    has_deviations = any(cell.sd is not None for cell in cells)
    title = "AUC (mean ± deviation over seeds)" if has_deviations else "AUC"
    texts = [
        f"{curve['label']}: {plots.value_texts(cell)[0]}"
        for curve, cell in zip(ran, cells, strict=True)
    ]
    # below the diagonal there is room for a few short lines
    inside = [style.wrapped(text, look.legend_characters - LESS_INSIDE) for text in texts]
    is_inside = style.line_count(inside) <= MOST_INSIDE
    labels = (
        inside if is_inside else [style.wrapped(text, look.legend_characters) for text in texts]
    )
    below = 0 if is_inside else 0.4 + 0.14 * style.line_count(labels)
    figure = style.new_figure(look, look.column_width / look.scale + below)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color=style.GREY, linewidth=0.6, zorder=1, label="chance: .500")
    families = [curve.get("group", curve["id"]) for curve in ran]
    colours = list(dict.fromkeys(families))
    for position, (curve, label) in enumerate(zip(ran, labels, strict=True)):
        own = [point for point in points if point.series == curve["id"]]
        # signs at intervals along the curve, those of the next curve a little further on
        signs = (0.05 + 0.12 * position / len(ran), 0.17)
        line = style.line_style(position, colours.index(families[position]))
        x: list[Any] = [point.x for point in own]
        y: list[Any] = [point.y for point in own]
        axes.plot(x, y, label=label, markevery=signs, **line)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.set_xlabel("False positive rate (fraction of negative pairs)")
    axes.set_ylabel("True positive rate (fraction of positive pairs)")
    if is_inside:
        close = {"labelspacing": 0.25, "handlelength": 2.6, "borderaxespad": 0.2}
        axes.legend(loc="lower right", title=title, alignment="left", **close)
    else:
        figure.legend(loc="outside lower center", title=title)
    return figure
