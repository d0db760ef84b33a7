"""Words of a data set by frequency, and the score of each bucket (paper, section 5, Figure 8)."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from workflow_scripts.figures.blocks import Bucket, BucketsBlock, FigureBlock, NotRun
from workflow_scripts.figures.inputs import FigureInputs
from workflow_scripts.figures.plots import Plot, Point, interval_text, value_text
from workflow_scripts.figures.series import (
    bars_fact,
    error_bar,
    measure,
    not_run_cell,
    sample_facts,
)
from workflow_scripts.figures.style import (
    COLOURS,
    GREY,
    SIDE_CHARACTERS,
    draw_error_bars,
    line_style,
    new_figure,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN = "score"
BEYOND = "beyond"
# characters of bucket labels that fit side by side under the axis
LEVEL_CHARACTERS = 34


def words_by_bucket(words: Iterable[str], buckets: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Return how many distinct words are in each bucket, and in none of them (`BEYOND`).

    Case is ignored, as in lists of frequent words. A word of two buckets counts in the first.
    """
    counts = dict.fromkeys([*buckets, BEYOND], 0)
    bucket_of: dict[str, str] = {}
    for name, entries in buckets.items():
        for entry in entries:
            bucket_of.setdefault(entry.casefold(), name)
    for word in {word.casefold() for word in words}:
        counts[bucket_of.get(word, BEYOND)] += 1
    return counts


def plot_buckets(
    block: FigureBlock,
    content: BucketsBlock,
    inputs: FigureInputs,
    published: Mapping[tuple[str, str], Decimal],
) -> Plot:
    """Return counts and scores by bucket. Raises `UserError`, data missing."""
    cells = {
        entry.id: not_run_cell(entry) if isinstance(entry, NotRun) else (entry.label, entry.cell)
        for entry in content.buckets
    }
    table = measure(block.id, COLUMN, cells, inputs, published)
    ran = [bucket for bucket in content.buckets if isinstance(bucket, Bucket)]
    points: list[Point] = []
    facts: list[str] = []
    counts: dict[str, int] = {}
    if ran:
        words = inputs.words_of_pairs(content.items, content.strings, content.dataset)
        corpora = {bucket.id: inputs.corpus_strings(bucket.corpus) for bucket in ran}
        counts = words_by_bucket(words, corpora)
        points += [Point("words", "words", name, number) for name, number in counts.items()]
        for bucket in ran:
            cell = table.cells[bucket.id, COLUMN]
            points.append(Point("score", "score", bucket.id, cell.mean, *error_bar(cell)))
        parts = {(part.dataset, part.metric) for bucket in ran for part in bucket.cell.parts}
        facts = [
            f"Words: of the {sum(counts.values()):,} distinct words of {content.dataset} (case "
            f"ignored), those that are in the corpus of each bucket; “{BEYOND}”, those in none of "
            "the buckets shown.",
            "Score: after tuning on the words of that bucket alone; "
            + ", ".join(f"{metric} on {dataset}" for dataset, metric in sorted(parts))
            + ", mean over seeds ± sample standard deviation (a single run has none).",
            bars_fact(table.cells.values()),
            *sample_facts(table),
        ]
    return Plot(
        points=tuple(points),
        facts=tuple(facts),
        numbers=(
            ("Bucket", "Words of the data set", "Score", "95% interval", "Seeds"),
            *(
                (
                    bucket.label,
                    f"{counts[bucket.id]:,}",
                    value_text(cell),
                    interval_text(cell),
                    str(cell.seeds),
                )
                for bucket in ran
                for cell in [table.cells[bucket.id, COLUMN]]
            ),
            *([(BEYOND, f"{counts[BEYOND]:,}", "–", "–", "–")] if ran else []),
        ),
        not_run=tuple(entry for entry in content.buckets if isinstance(entry, NotRun)),
        draw=lambda: _draw(content, ran, points),
        values=table,
    )


def _draw(content: BucketsBlock, ran: Sequence[Bucket], points: Sequence[Point]) -> "Figure":
    from matplotlib.ticker import MaxNLocator

    labels = [" ".join(bucket.label.split()) for bucket in ran] + [BEYOND]
    level = sum(map(len, labels)) <= LEVEL_CHARACTERS
    figure = new_figure(2.8 if level else 2.8 + 0.05 * max(map(len, labels)))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1.2, 1))
    scores = [point for point in points if point.panel == "score"]
    words = [point for point in points if point.panel == "words"]
    draw_error_bars(above, range(len(scores)), scores, line_style(0, 0))
    above.set_ylabel(wrapped(content.y_label, SIDE_CHARACTERS))
    above.margins(y=0.1)
    bars = below.bar(range(len(words)), [point.y for point in words], color=COLOURS[5], width=0.75)
    for bar in bars:
        bar.set(edgecolor="black", linewidth=0.6)
    # no bucket, so no score above it
    bars[-1].set(facecolor="white", hatch="//////", edgecolor=GREY)
    below.set_ylabel("Words of the data\nset (number)")
    below.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    below.set_xticks(
        range(len(words)),
        labels,
        rotation=0 if level else 45,
        ha="center" if level else "right",
        rotation_mode="anchor",
    )
    below.set_xlabel(wrapped(content.x_label))
    return figure
