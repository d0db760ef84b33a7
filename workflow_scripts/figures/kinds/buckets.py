"""Words of a data set by frequency, and the score of each bucket (paper, section 5, Figure 8)."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import Field

from workflow_scripts.configuration.blocks import Distinct, Id, Text
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.figures import plots, style
from workflow_scripts.figures.config import AxesFigure
from workflow_scripts.figures.plots import Entry, Plot, Point
from workflow_scripts.files import read_lines
from workflow_scripts.tables.document import DASH

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN = "score"
BEYOND = "beyond"
# characters of bucket labels that fit side by side under the axis
LEVEL_CHARACTERS = 34


class Config(AxesFigure):
    """Words of a data set and scores by bucket of frequency."""

    model: Text = Field(description="Model.")
    recipe: Text = Field(description="Recipe, which tunes.")
    dataset: Id = Field(description="Data set of word similarity.")
    corpora: Distinct[Id] = Field(description="One corpus per bucket.")


def requested_cells(config: Config) -> list[dict[str, Any]]:
    shared = config.model_dump(include={"model", "recipe", "dataset"})
    return [{**shared, "corpus": corpus} for corpus in config.corpora]


def resolve(config: Config, cells: Any, run: Any) -> dict[str, Any]:
    buckets = []
    for cell in cells:
        name = cell.requested["corpus"]
        corpus = run.corpus(name)
        first, size = corpus.get("skip", 0), corpus["size"]
        label = f"{first + 1}-{first + size}" if isinstance(size, int) else name
        entry = {"id": name, "label": label, **cell.values}
        if "parts" in entry:
            entry["corpus"] = f"{run.results}/corpora/{name}.txt"
        buckets.append(entry)
    shown = config.model_dump(include={"dataset", "x_label", "y_label"})
    items, strings = (run.dataset_file(cells[0], file) for file in ("items.json", "strings.txt"))
    return shown | {"items": items, "strings": strings, "buckets": buckets}


def files(block: dict[str, Any]) -> list[str]:
    corpora = [bucket["corpus"] for bucket in plots.that_ran(block["buckets"])]
    return [*corpora, block["items"], block["strings"]]


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


def _words_of_pairs(items: str, strings: str) -> list[str]:
    from workflow_scripts.retrieval.suite_files import read_dataset

    entry = read_dataset(items)
    if entry["task"] != "similarity":
        raise UserError(
            items,
            f"dataset `{entry['dataset']}` is of task {entry['task']}",
            "buckets of words need one of task similarity",
        )
    texts = read_lines(strings)
    with damaged_file_error(f"{items} or {strings}"):
        return [texts[number] for number in (*entry["left"], *entry["right"])]


def plot(block: dict[str, Any]) -> Plot:
    """Return counts and scores by bucket. Raises `UserError` for missing data or another task."""
    look = style.style_of(block)
    table = plots.measure(block, COLUMN, block["buckets"])
    ran, dataset = plots.that_ran(block["buckets"]), block["dataset"]
    if not ran:
        return Plot(block["buckets"], values=table)
    numbers = [("Bucket", "Words of the data set", "Score", "95% interval", "Seeds")]
    words = _words_of_pairs(block["items"], block["strings"])
    counts = words_by_bucket(words, {bucket["id"]: read_lines(bucket["corpus"]) for bucket in ran})
    points = [Point("words", "words", name, number) for name, number in counts.items()]
    for bucket in ran:
        cell = table.cells[bucket["id"], COLUMN]
        points.append(Point("score", "score", bucket["id"], cell.mean, *plots.error_bar(cell)))
        count = f"{counts[bucket['id']]:,}"
        numbers.append((bucket["label"], count, *plots.value_texts(cell)))
    numbers.append((BEYOND, f"{counts[BEYOND]:,}", DASH, DASH, DASH))
    facts = [
        f"Words: how many of the {sum(counts.values()):,} distinct words of {dataset} (case "
        f"ignored) are in the corpus of each bucket; “{BEYOND}”: in none of the buckets shown.",
        "Score: after tuning on the words of that bucket alone; "
        + ", ".join(plots.metrics_of(ran))
        + ", mean over seeds ± sample standard deviation (a single run has none).",
        plots.bars_fact(table.cells.values(), look.intervals),
        *plots.sample_facts(table),
    ]
    draw = partial(_draw, block, ran, points)
    return Plot(block["buckets"], points, facts, numbers, draw, table)


def _draw(block: Mapping[str, Any], ran: Sequence[Entry], points: Sequence[Point]) -> "Figure":
    from matplotlib.ticker import MaxNLocator

    labels = [" ".join(bucket["label"].split()) for bucket in ran] + [BEYOND]
    level = sum(map(len, labels)) <= LEVEL_CHARACTERS
    look = style.style_of(block)
    figure = style.new_figure(look, 2.8 if level else 2.8 + 0.05 * max(map(len, labels)))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1.2, 1))
    scores = [point for point in points if point.panel == "score"]
    words = [point.y for point in points if point.panel == "words"]
    line = style.line_style(0, 0)
    style.draw_error_bars(above, range(len(scores)), scores, line, look.intervals)
    above.set_ylabel(style.wrapped(block["y_label"], style.SIDE_CHARACTERS))
    above.margins(y=0.1)
    bars = below.bar(range(len(words)), words, color=style.COLOURS[5], width=0.75)
    for bar in bars:
        bar.set(edgecolor="black", linewidth=0.6)
    # no bucket, so no score above it
    bars[-1].set(facecolor="white", hatch="//////", edgecolor=style.GREY)
    below.set_ylabel("Words of the data\nset (number)")
    below.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    turned = {"rotation": 0, "ha": "center"} if level else {"rotation": 45, "ha": "right"}
    below.set_xticks(range(len(words)), labels, rotation_mode="anchor", **turned)
    below.set_xlabel(style.wrapped(block["x_label"], look.legend_characters))
    return figure
