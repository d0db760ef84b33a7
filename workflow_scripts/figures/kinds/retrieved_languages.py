"""Languages of what is nearest to the sentences of each language (CMLM, section 5.2, Figure 2)."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from statistics import mean
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field

from workflow_scripts.configuration.blocks import Distinct, Id, Text
from workflow_scripts.errors import UserError
from workflow_scripts.figures import plots, style
from workflow_scripts.figures.config import FigureBlock, FigureRow
from workflow_scripts.figures.plots import Entry, Plot, Point
from workflow_scripts.scoring.language_shares import NEIGHBOURS, own_share, share_of
from workflow_scripts.scoring.tidy_scores import Score, read_scores
from workflow_scripts.tables.config import ById
from workflow_scripts.tables.numbers import format_number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN = "own language"
# what stands behind id and label of an encoder without the first component of each language
PCR_ID, PCR_LABEL = "/pcr", " + PCR"
# the line of the share by chance
EXPECTED: dict[str, Any] = {"color": "black", "linestyle": (0, (2, 1))}
# the colours of lines, grey instead of black
FILLS = (*style.COLOURS[:0:-1], "#AAAAAA")


# type checkers read no Literal that is computed
if TYPE_CHECKING:
    Neighbours = int
else:
    Neighbours = Literal[NEIGHBOURS]


class Config(FigureBlock):
    """Shares of languages among what is retrieved, two columns for each encoder: as it is, PCR."""

    dataset: Id = Field(description="Data set of task language-bias.")
    rows: ById[FigureRow] = Field(description="Encoders: two columns each.")
    neighbours: Neighbours = Field(
        NEIGHBOURS[0], description="How many nearest sentences of each query are counted."
    )
    languages: Distinct[Text] | None = Field(
        None, description="Languages of the queries to show; default: all of the pool."
    )


def requested_cells(config: Config) -> list[dict[str, Any]]:
    cells = []
    for row in config.rows:
        block = {"dataset": config.dataset} | row.model_dump(exclude_none=True)
        for pcr, (name, label) in enumerate((("", ""), (PCR_ID, PCR_LABEL))):
            shown = {"id": row.id + name, "label": row.label + label}
            cells.append(block | shown | {"metric": own_share(config.neighbours, bool(pcr))})
    return cells


def resolve(config: Config, cells: Any, run: Any) -> dict[str, Any]:
    columns = [plots.entry(cell, "id", "label", "metric") for cell in cells]
    shown = config.model_dump(include={"dataset", "neighbours", "languages"})
    return shown | {"columns": columns}


class Shares(NamedTuple):
    """Of queries of each language the share of each language, and how many queries there are."""

    shares: dict[str, dict[str, float]]
    queries: dict[str, int]

    def expected(self, language: str) -> float:
        """Return the share of a query's own language if language played no role."""
        return (self.queries[language] - 1) / (sum(self.queries.values()) - 1)


def shares_of(scores: Iterable[Score], metric: str) -> Shares:
    """Return the shares that go with a metric of the own language, means over seeds."""
    prefix = share_of(metric, "", "").rstrip("/") + "/"
    values: dict[str, dict[str, list[float]]] = {}
    queries: dict[str, int] = {}
    for score in scores:
        if score.metric.startswith(prefix):
            query, retrieved = score.metric.removeprefix(prefix).split("/")
            values.setdefault(query, {}).setdefault(retrieved, []).append(score.value)
            queries[query] = score.n
    means = {
        query: {language: mean(shares) for language, shares in of_query.items()}
        for query, of_query in values.items()
    }
    return Shares(means, queries)


def plot(block: dict[str, Any]) -> Plot:
    """Return the columns of a block. Raises `UserError` for missing data or languages."""
    table = plots.measure(block, COLUMN, block["columns"])
    ran, dataset, k = plots.that_ran(block["columns"]), block["dataset"], block["neighbours"]
    if not ran:
        return Plot(block["columns"], values=table)
    points: list[Point] = []
    columns: dict[str, Shares] = {}
    numbers = [("Column", "Own language", "95% interval", "If language played no role", "Seeds")]
    for column in ran:
        paths = column["parts"][0]["scores"]
        scores = (score for path in paths for score in read_scores(path))
        columns[column["id"]] = measured = shares_of(
            (score for score in scores if score.dataset == dataset), column["metric"]
        )
        shown = _shown(block, measured)
        for query in shown:
            shares = measured.shares[query].items()
            points += [Point(column["id"], query, other, share) for other, share in shares]
            points.append(Point("expected", query, query, measured.expected(query)))
        value, interval, seeds = plots.value_texts(table.cells[column["id"], COLUMN])
        total = sum(measured.queries.values())
        by_chance = (
            sum(n * measured.expected(language) for language, n in measured.queries.items()) / total
        )
        numbers.append((column["label"], value, interval, format_number(by_chance), seeds))
    # the same for all columns of a data set
    points = list(dict.fromkeys(points))
    counts = ", ".join(f"{language} {n:,}" for language, n in measured.queries.items())
    facts = [
        f"Each sentence of {dataset} is a query: {counts}. Counted are the languages of the "
        f"{k} others that are nearest by cosine; shares are means over the queries of a "
        "language and over seeds.",
        "Each bar begins with the query's own language; the dashed line is its share if "
        "language played no role.",
        "PCR: each language without the first principal component of its own sentences here.",
        "Translations of a query are among what can be found: an encoder that puts them first "
        "has less of its own language than if language played no role.",
        "Own language: the share of the query's language over all queries, mean over "
        "seeds ± sample standard deviation "
        "(a single run has none); the interval is the 95% bootstrap interval over queries.",
        *plots.sample_facts(table),
    ]
    draw = partial(_draw, block, ran, columns)
    return Plot(block["columns"], points, facts, numbers, draw, table)


def _shown(block: Entry, measured: Shares) -> list[str]:
    """Return the languages of the queries that are shown."""
    shown = block["languages"] or list(measured.shares)
    if unknown := [language for language in shown if language not in measured.shares]:
        raise UserError(
            f"figure {block['id']}",
            f"no query of language {unknown[0]!r} in {block['dataset']}, which has "
            f"{', '.join(measured.shares) or 'none'}",
            "fix `languages`",
        )
    return shown


def _draw(block: Entry, ran: Sequence[Entry], columns: Mapping[str, Shares]) -> "Figure":
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    look = style.style_of(block)
    first = columns[ran[0]["id"]]
    shown, languages = _shown(block, first), list(first.shares)
    looks: dict[str, dict[str, Any]] = {}
    for number, language in enumerate(languages):
        hatch = style.HATCHES[number % len(style.HATCHES)]
        colour = FILLS[number % len(FILLS)]
        looks[language] = {"facecolor": colour, "hatch": hatch, "edgecolor": "white"}
    figure = style.new_figure(look, 1.0 + 0.22 * len(shown), is_wide=True)
    panels = figure.subplots(1, len(ran), sharex=True, sharey=True, squeeze=False)[0]
    for axes, column in zip(panels, ran, strict=True):
        measured = columns[column["id"]]
        for position, query in enumerate(shown):
            left = 0.0
            for language in [query, *(other for other in languages if other != query)]:
                share = measured.shares[query][language]
                axes.barh(position, share, 0.8, left, linewidth=0.3, **looks[language])
                left += share
            expected = [measured.expected(query)] * 2
            ends = [position - 0.48, position + 0.48]
            axes.plot(expected, ends, color="white", linewidth=2.4)
            axes.plot(expected, ends, **EXPECTED)
        title = style.wrapped(column["label"], style.SIDE_CHARACTERS)
        axes.set_title(title)
        axes.set_xlabel(f"Share of the {block['neighbours']} nearest")
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
        axes.set_yticks(range(len(shown)), shown)
    panels[0].invert_yaxis()
    panels[0].set_ylabel("Language of the query")
    signs: list[Any] = [Patch(label=language, **looks[language]) for language in languages]
    signs.append(Line2D([], [], label="share if language played no role", **EXPECTED))
    figure.legend(handles=signs, loc="outside lower center", ncols=len(signs), handlelength=1.6)
    return figure
