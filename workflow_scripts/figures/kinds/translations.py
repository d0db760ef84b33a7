"""Sentences and their translations as points of a plane (CMLM, section 5.2 and Figure 3)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field

from workflow_scripts.configuration.blocks import Block, Id, Text, WholeNumber
from workflow_scripts.configuration.print_style import FigureStyle
from workflow_scripts.errors import UserError
from workflow_scripts.figures import plots, style
from workflow_scripts.figures.config import FigureBlock, FigureRow
from workflow_scripts.figures.plots import Entry, Plot, Point
from workflow_scripts.tables.config import ById
from workflow_scripts.tables.document import DASH
from workflow_scripts.tables.numbers import format_number
from workflow_scripts.tables.table import Table

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure, SubFigure

COLUMN = "accuracy"
SIDES = ("left", "right")
# inches
BARS_HEIGHT = 1.4
# of t-SNE, whose result depends on them
SEED, PERPLEXITY = 0, 30.0
_REMEDY = "check the encoder, or take its row out of the figure"


class TranslationsColumn(Block):
    """A column of panels: the two sides of a data set."""

    id: Id = Field(description="Id.")
    label: Text = Field(description="Name on the page.")
    dataset: Id = Field(description="Data set of task bitext-retrieval.")


class Config(FigureBlock):
    """Translations in two dimensions, a panel for each row and column."""

    columns: ById[TranslationsColumn] = Field(description="Data sets.")
    rows: ById[FigureRow] = Field(description="Encoders.")
    method: Literal["pca", "tsne"] = Field(
        "pca",
        description="How vectors are reduced to two dimensions, both sides of a data set together.",
    )
    pairs: WholeNumber = Field(
        100, description="How many pairs to draw, spread evenly over the file; all are projected."
    )


def requested_cells(config: Config) -> list[dict[str, Any]]:
    return [
        row.model_dump(exclude_none=True)
        | {"id": f"{row.id}/{column.id}", "label": f"{row.label}, {column.label}"}
        | {"dataset": column.dataset}
        for row in config.rows
        for column in config.columns
    ]


def resolve(config: Config, cells: Any, run: Any) -> dict[str, Any]:
    panels = []
    for cell in cells:
        panel = plots.entry(cell, "id", "label", "dataset")
        if "parts" in panel:
            panel |= run.embedding(cell) | {"items": run.dataset_file(cell, "items.json")}
        panels.append(panel)
    grid = {"rows": {"__all__": {"id", "label"}}, "columns": {"__all__": {"id", "label"}}}
    shown = config.model_dump(include={"method": True, "pairs": True, **grid})
    return shown | {"panels": panels}


def files(block: dict[str, Any]) -> list[str]:
    ran = plots.that_ran(block["panels"])
    return sorted({panel[key] for panel in ran for key in ("vectors", "index", "items")})


class Plane(NamedTuple):
    """The pairs of a panel that are drawn, [sides, pairs, 2], and their rows in the file [pairs].

    `in_plane` is the share of the variance of all vectors that two principal components have, None
    for another method; `between` the share that lies between the means of the two sides.
    """

    places: "np.ndarray"
    rows: "np.ndarray"
    in_plane: float | None
    between: float


def project(sides: "np.ndarray", method: str, pairs: int) -> Plane:
    """Return vectors [2, n, D] of sentences and their translations in two dimensions.

    Fitted on both sides together, as they are: not scaled to unit length. Raises `UserError` where
    all vectors are equal.
    """
    import numpy as np

    count = sides.shape[1]
    vectors = sides.reshape(2 * count, -1).astype(np.float64)
    centred = vectors - vectors.mean(axis=0)
    total = float(np.einsum("nd,nd->", centred, centred))
    means = centred.reshape(2, count, -1).mean(axis=1)
    if not total:
        raise UserError(
            None, f"all {len(vectors)} vectors are equal, so no plane shows them", _REMEDY
        )
    between = count * float(np.einsum("nd,nd->", means, means)) / total
    in_plane = None
    if method == "pca":
        from sklearn.decomposition import PCA

        # always by the same algorithm, whatever the shape
        analysis = PCA(2, svd_solver="full")
        places = analysis.fit_transform(vectors)
        in_plane = float(analysis.explained_variance_ratio_.sum())
    else:
        from sklearn.manifold import TSNE

        perplexity = min(PERPLEXITY, (len(vectors) - 1) / 3)
        places = TSNE(2, perplexity=perplexity, random_state=SEED).fit_transform(vectors)
    rows = np.unique(np.linspace(0, count - 1, min(pairs, count)).round().astype(np.int64))
    return Plane(places.reshape(2, count, 2)[:, rows], rows, in_plane, between)


def plot(block: dict[str, Any]) -> Plot:
    """Return the panels of a block: of each the vectors of its first seed. Raises `UserError`."""
    table = plots.measure(block, COLUMN, block["panels"])
    ran = plots.that_ran(block["panels"])
    if not ran:
        return Plot(block["panels"])
    points: list[Point] = []
    planes: dict[str, Plane] = {}
    numbers = [
        ("Panel", "Pairs", "Drawn", "Variance in the plane", "Between the two sides", "Accuracy")
    ]
    for panel in ran:
        sides, name = _sides(panel), panel["id"]
        try:
            planes[name] = plane = project(sides, block["method"], block["pairs"])
        except UserError as error:
            raise error.within(f"{panel['vectors']}, data set {panel['dataset']}") from error
        for side, points_of_side in zip(SIDES, plane.places, strict=True):
            drawn = zip(plane.rows, points_of_side, strict=True)
            points += [Point(name, f"{side} {row + 1}", *map(float, at)) for row, at in drawn]
        in_plane = DASH if plane.in_plane is None else format_number(plane.in_plane)
        counts = (f"{sides.shape[1]:,}", f"{len(plane.rows):,}")
        shares = (in_plane, format_number(plane.between))
        accuracy = plots.value_texts(table.cells[name, COLUMN])[0]
        numbers.append((panel["label"], *counts, *shares, accuracy))
    how = {
        "pca": "The axes are the first two principal components of both sides together",
        "tsne": f"By t-SNE of both sides together, perplexity {PERPLEXITY:g} or a third of "
        f"the points, seed {SEED}",
    }
    facts = [
        f"{how[block['method']]}; vectors are not scaled to unit length. Panels have axes of "
        "their own.",
        "Each panel shows one run, the first seed of its encoder.",
        "The tsv names a sentence and its translation by side and line of the file (right: "
        "English).",
        "Variance in the plane: the share of that of all vectors. Between the two sides: the "
        "share that lies between the means of the two languages, 0 where they coincide.",
        "Accuracy, the bars: sentences whose translation is the nearest English one by "
        "cosine, in all dimensions; mean over seeds ± sample standard deviation (a single run "
        "has none).",
        plots.bars_fact(table.cells.values(), style.style_of(block).intervals),
        *plots.sample_facts(table),
    ]
    draw = partial(_draw, block, ran, planes, table)
    return Plot(block["panels"], points, facts, numbers, draw)


def _sides(panel: Entry) -> "np.ndarray":
    """Return the vectors of both sides of a panel, float32 [2, pairs, dimension]."""
    import numpy as np

    from workflow_scripts.embedding.suite_vectors import read_string_vectors
    from workflow_scripts.retrieval.suite_files import gather_rows, read_dataset

    entry = read_dataset(panel["items"])
    vectors = read_string_vectors(panel["vectors"], panel["dataset"])
    return np.stack([gather_rows(vectors, entry[side], panel["vectors"]) for side in SIDES])


def _draw(
    block: Entry, ran: Sequence[Entry], planes: Mapping[str, Plane], table: Table
) -> "Figure":
    look = style.style_of(block)
    names = [panel["id"].split("/") for panel in ran]
    rows, columns = (
        [entry for entry in block[key] if any(name[at] == entry["id"] for name in names)]
        for at, key in enumerate(("rows", "columns"))
    )
    is_wide = len(columns) > 1
    width = look.page_width if is_wide else look.column_width
    side = min((width - 0.3) / len(columns), 1.8)
    heights = [side * len(rows), BARS_HEIGHT]
    figure = style.new_figure(look, sum(heights) / look.scale + 0.6, is_wide)
    above, below = figure.subfigures(2, 1, height_ratios=heights, squeeze=False)[:, 0]
    signs = _draw_planes(above, rows, columns, planes)
    labels = ("sentence", "its English translation")
    above.legend(signs, labels, loc="outside lower center", ncols=2, handlelength=1.2)
    _draw_accuracy(below, rows, columns, table, look)
    return figure


def _draw_planes(
    figure: "SubFigure",
    rows: Sequence[Entry],
    columns: Sequence[Entry],
    planes: Mapping[str, Plane],
) -> Sequence[Any]:
    """Draw the panels, which say where each language lies; return the signs of their legend."""
    grid = figure.subplots(len(rows), len(columns), squeeze=False)
    signs: Sequence[Any] = ()
    for line, row in zip(grid, rows, strict=True):
        line[0].set_ylabel(style.wrapped(row["label"], style.SIDE_CHARACTERS))
        for axes, column in zip(line, columns, strict=True):
            axes.set(xticks=[], yticks=[])
            if (plane := planes.get(f"{row['id']}/{column['id']}")) is None:
                axes.set_frame_on(False)
                continue
            looks = (("o", style.POSITIVE, "none"), ("s", "none", style.NEGATIVE))
            signs = [
                axes.scatter(
                    *points_of_side.T, s=7, marker=marker, facecolor=face, edgecolor=edge, zorder=2
                )
                for points_of_side, (marker, face, edge) in zip(plane.places, looks, strict=True)
            ]
    for axes, column in zip(grid[0], columns, strict=True):
        axes.set_title(style.wrapped(column["label"], style.SIDE_CHARACTERS))
    return signs


def _draw_accuracy(
    figure: "SubFigure",
    rows: Sequence[Entry],
    columns: Sequence[Entry],
    table: Table,
    look: FigureStyle,
) -> None:
    """Draw bars of accuracy, a group for each column: how near translations are."""
    from matplotlib.ticker import MaxNLocator

    axes, width, tops = figure.subplots(), 0.8 / len(rows), [0.0]
    for number, row in enumerate(rows):
        cells = [table.cells[f"{row['id']}/{column['id']}", COLUMN] for column in columns]
        bars = [
            (group + width * (number - (len(rows) - 1) / 2), 100 * cell.mean, cell)
            for group, cell in enumerate(cells)
            if cell.mean is not None
        ]
        fill = style.BARS[number % len(style.BARS)]
        label = style.wrapped(row["label"], style.SIDE_CHARACTERS)
        centres, heights = [x for x, _, _ in bars], [height for _, height, _ in bars]
        axes.bar(centres, heights, 0.9 * width, label=label, **fill)
        for x, height, cell in bars:
            low, high = plots.error_bar(cell) if look.intervals else (None, None)
            top = height
            if low is not None and high is not None:
                axes.plot([x, x], [100 * low, 100 * high], "-_", color="black", linewidth=0.8)
                top = 100 * high
            above: dict[str, Any] = {
                "xytext": (0, 2),
                "textcoords": "offset points",
                "ha": "center",
            }
            axes.annotate(f"{height:.0f}", (x, top), **above, fontsize=look.small_size)
            tops.append(top)
    # room for the numbers above the bars
    axes.set(ylim=(0, 1.25 * max(tops) or 1), xlim=(-0.5, len(columns) - 0.5))
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    axes.set_ylabel("Translation\nis nearest (%)")
    labels = [style.wrapped(column["label"], style.SIDE_CHARACTERS) for column in columns]
    axes.set_xticks(range(len(columns)), labels)
    figure.legend(loc="outside lower center", ncols=2, handlelength=1.6)
