"""Tables of scores: encoders in rows, data sets in columns, values next to published ones."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, model_validator

from workflow_scripts.configuration.blocks import (
    Block,
    Distinct,
    Id,
    NotNegative,
    Seed,
    Text,
    mistake,
)
from workflow_scripts.configuration.print_style import LatexStyle
from workflow_scripts.errors import nearest_name
from workflow_scripts.tables.cells import Cell
from workflow_scripts.tables.config import ById, EncoderRow, TableBlock
from workflow_scripts.tables.document import DASH, Document
from workflow_scripts.tables.score_page import score_page
from workflow_scripts.tables.table import (
    AVERAGE,
    CHANGE,
    HEAD_FIELDS,
    Table,
    tsv_headings,
)

ColumnId = Annotated[str, Field(pattern=r"^[a-z0-9@.-]+$")]


class ColumnBlock(Block):
    """A column: a data set, several over which it takes the mean, or a property of models."""

    id: ColumnId = Field(description="Id, as in the file of published values.")
    label: Text = Field(description="Heading.")
    dataset: Id | None = Field(None, description="Data set of the column.")
    datasets: Distinct[Id] | None = Field(
        None, description="Instead of dataset: several data sets, whose mean the column shows."
    )
    of_model: Literal["parameters", "licence", "address", "vocabulary"] | None = Field(
        None, description="Instead of dataset: a property of each row's models to show."
    )
    metric: Text | None = Field(None, description="Metric, by default the primary one of the task.")
    names: dict[str, str] = Field({}, alias="with", description="Values for placeholders in rows.")
    digits: Annotated[int, Field(ge=0, le=6)] = Field(3, description="Digits after the point.")
    lower_is_better: bool = Field(False, description="Whether lower values are better.")
    statistic: Literal["mean", "deviation"] = Field(
        "mean", description="Over seeds: the mean, or the sample deviation."
    )
    tolerance: NotNegative | None = Field(None, description="Tolerance, instead of the config's.")

    @model_validator(mode="after")
    def _shows_something(self) -> "ColumnBlock":
        if [self.dataset, self.datasets, self.of_model].count(None) != 2:
            raise mistake("give one of `dataset`, `datasets` and `of_model`")
        if self.of_model is not None:
            for key in sorted(self.model_fields_set - {"id", "label", "of_model"}):
                name = type(self).model_fields[key].alias or key
                raise mistake(f"`{name}` has no effect with `of_model`; remove it")
        return self


class RowBlock(EncoderRow):
    """A row: what makes its encoders, or why this config does not run it."""

    model: Text | dict[str, Text] | None = Field(
        None, description="A model, or one per language; {language} is replaced."
    )
    recipe: Text | None = Field(None, description="Recipe; placeholders are replaced.")
    metric: Text | None = Field(None, description="Metric for this row, instead of the columns'.")
    against: Id | None = Field(
        None, description="Row that this one is compared with: difference, paired bootstrap."
    )
    not_run: Text | None = Field(
        None, description="Instead of model and recipe: why this row is not run."
    )

    @model_validator(mode="after")
    def _runs_or_not(self) -> "RowBlock":
        if self.not_run is not None:
            if self.model is not None or self.recipe is not None:
                raise mistake("a row with `not_run` has neither `model` nor `recipe`")
        elif self.model is None or self.recipe is None:
            raise mistake("give `model` and `recipe`, or say in `not_run` why it is not run")
        return self


Named = TypeVar("Named", ColumnBlock, RowBlock)


class Overview(Block):
    """The rows of a table that the first page shows, next to those they are compared with."""

    task: Text = Field(description="Label of the line.")
    column: ColumnId = Field(description="Column, or `avg`.")
    rows: Distinct[Id] | None = Field(
        None, description="Rows to show, of those with `against`; default: all."
    )


class Only(Block):
    """Rows and columns of a table that a config shows, of those that the files below it have."""

    rows: Distinct[Id] | None = Field(None, description="Ids of the rows to show; default: all.")
    columns: Distinct[ColumnId] | None = Field(
        None, description="Ids of the columns to show; default: all."
    )


def _require(name: str | None, known: list[str], problem: str) -> None:
    """Raise a mistake that says `problem` for a name that is given and not known."""
    if name is not None and name not in known:
        raise mistake(f"{problem}; {nearest_name(name, known)}")


def _kept(key: str, names: list[str] | None, blocks: list[Named]) -> list[Named]:
    """Return the blocks that `only` names, all where it names none."""
    if names is None:
        return blocks
    known = [block.id for block in blocks]
    for name in names:
        _require(name, known, f"`only.{key}` names `{name}`, which the table does not have")
    return [block for block in blocks if block.id in names]


class Config(TableBlock):
    """A table of scores."""

    seeds: Distinct[Seed] | None = Field(
        None, description="Seeds of tuned rows, instead of the config's."
    )
    percent: bool = Field(
        False,
        description="Multiply scores and tolerances by 100, as the paper prints them.",
    )
    average: bool = Field(
        False, description="Whether to add a column with the mean over the columns."
    )
    change_of: ColumnId | None = Field(
        None,
        description="Column (or `avg`) whose differences between rows are shown in another column.",
    )
    overview: Overview | None = Field(
        None, description="What the first page shows: `{task: ..., column: ..., rows: [...]}`."
    )
    only: Only | None = Field(
        None,
        description="Which of the rows and columns below to show: `{rows: [...], columns: [...]}`.",
    )
    columns: ById[ColumnBlock] = Field(description="What is shown of the rows.")
    rows: ById[RowBlock] = Field(description="Encoders.")

    @model_validator(mode="after")
    def _narrowed(self) -> "Config":
        """Return the table with the rows and columns of `only`, in the order of the table.

        What names others goes too: `against`, `change_of` and parts of `overview`.
        """
        if self.only is None:
            return self
        columns = _kept("columns", self.only.columns, self.columns)
        rows = _kept("rows", self.only.rows, self.rows)
        ids = {row.id for row in rows}
        rows = [
            row if row.against in ids else row.model_copy(update={"against": None}) for row in rows
        ]
        changes = {"columns": columns, "rows": rows}
        values = {column.id for column in columns} | ({AVERAGE} if self.average else set())
        if self.change_of not in values:
            changes["change_of"] = None
        if (overview := self.overview) is not None:
            compared = [row.id for row in rows if row.against is not None]
            shown = [name for name in overview.rows or compared if name in compared]
            is_kept = shown and overview.column in values
            changes["overview"] = overview.model_copy(update={"rows": shown}) if is_kept else None
        return self.model_copy(update=changes)

    @property
    def score_columns(self) -> list[ColumnBlock]:
        """The columns of data sets."""
        return [column for column in self.columns if column.of_model is None]

    @model_validator(mode="after")
    def _fits_together(self) -> "Config":
        columns = [column.id for column in self.score_columns]
        if not columns:
            raise mistake("no column has a `dataset`; add one")
        deviations = [column.id for column in self.columns if column.statistic == "deviation"]
        if deviations and (self.average or self.change_of in deviations):
            raise mistake(f"column `{deviations[0]}` has deviations: they have no mean or changes")
        labels = [column.label for column in self.score_columns]
        labels += [f"{AVERAGE}."] if self.average else []
        labels += [CHANGE] if self.change_of is not None else []
        headings = [*HEAD_FIELDS, *(heading for label in labels for heading in tsv_headings(label))]
        headings += [column.label for column in self.columns if column.of_model is not None]
        repeated = [heading for heading, count in Counter(headings).items() if count > 1]
        if repeated:
            raise mistake(f"two columns of its tsv are named `{repeated[0]}`; rename a column")
        if self.average:
            if AVERAGE in [column.id for column in self.columns]:
                raise mistake("`avg` is the id of the average; give the column another")
            if len({(column.digits, column.lower_is_better) for column in self.score_columns}) > 1:
                both = "the same `digits` and `lower_is_better`"
                raise mistake(f"`average` needs columns with {both}")
            columns.append(AVERAGE)
        change_of, overview = self.change_of, self.overview
        _require(
            change_of, columns, f"`change_of` is `{change_of}`, which is not a column of the table"
        )
        if overview is not None:
            _require(overview.column, columns, f"`overview` has the column `{overview.column}`")
            compared = [row.id for row in self.rows if row.against is not None]
            for name in overview.rows or ():
                if name not in compared:
                    raise mistake(
                        f"`overview` has row `{name}`, which is no row with `against` here; "
                        "write `overview: null`, or narrow the table with `only` instead of `rows`"
                    )
        for row in self.rows:
            others = [other.id for other in self.rows if other is not row]
            is_other = f"is `{row.against}`, which is not another row of the table"
            problem = f"`against` of row `{row.id}` {is_other}"
            _require(row.against, others, problem)
        return self


def requested_cells(config: Config) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for row in config.rows:
        if row.not_run is None:
            for column in config.score_columns:
                shown = column.model_dump(by_alias=True, exclude_none=True)
                yield row.model_dump(exclude_none=True), shown


def resolve(config: Config, cells: Any, run: Any) -> dict[str, Any]:
    by_row: dict[str, dict[str, Any]] = {}
    for cell in cells:
        row, column = cell.requested
        by_row.setdefault(row["id"], {})[column["id"]] = cell.block
    ran = (cell for cell in cells if "parts" in cell.block)
    models = dict.fromkeys(model for cell in ran for model in cell.models)
    left_out = dict.fromkeys(dataset for cell in cells for dataset in cell.left_out)
    keys = {"id", "label", "digits", "lower_is_better", "statistic", "of_model"}
    shown = {"id", "label", "group", "against", "not_run"}
    return {
        "percent": config.percent,
        "average": config.average,
        "change_of": config.change_of,
        "notes": [
            *config.notes,
            *(
                f"The mean leaves out {dataset}, which is not in the data root."
                for dataset in left_out
            ),
            *(f"{model}: {run.note(model)}" for model in models),
        ],
        "columns": [
            column.model_dump(include=keys, exclude_none=True) for column in config.columns
        ],
        "rows": [
            row.model_dump(include=shown, exclude_none=True)
            | ({"cells": by_row[row.id]} if row.id in by_row else {})
            | _texts(config, cells, run, row.id)
            for row in config.rows
        ],
    }


def _texts(config: Config, cells: Any, run: Any, row: str) -> dict[str, Any]:
    """Return {"texts": properties of the models of a row, by column}; {} without such columns."""
    of_row = (cell for cell in cells if cell.requested[0]["id"] == row)
    models = dict.fromkeys(model for cell in of_row for model in cell.models)
    texts = {}
    for column in config.columns:
        if column.of_model is not None:
            values = (run.text_of(model, column.of_model) or DASH for model in models)
            texts[column.id] = ", ".join(dict.fromkeys(values)) or DASH
    return {"texts": texts} if texts else {}


def headline(config: Config) -> dict[str, Any] | None:
    """Return what the overview shows of a table; None where no row is compared with another.

    `is_chosen`: the config says it. Else the average, or the first column, of all such rows.
    """
    chosen = config.overview
    column = chosen.column if chosen else AVERAGE if config.average else config.score_columns[0].id
    chosen_rows = chosen.rows if chosen else None
    labels = {row.id: row.label for row in config.rows}
    rows = [
        {
            **{"row": row.id, "label": row.label},
            **{"against": row.against, "against_label": labels[row.against]},
        }
        for row in config.rows
        if row.against is not None and (chosen_rows is None or row.id in chosen_rows)
    ]
    # an average is like the first column
    columns = {own.id: own for own in config.score_columns}
    shown = columns.get(column, config.score_columns[0])
    headline = {
        **{"task": chosen.task if chosen else config.title, "column": column, "rows": rows},
        **{"percent": config.percent, "lower_is_better": shown.lower_is_better},
    }
    return headline | {"is_chosen": chosen is not None} if rows else None


def assemble(block: dict[str, Any]) -> tuple[Document, list[Cell]]:
    """Return the table and its cells. Raises `UserError` for a missing file or score."""
    from workflow_scripts.tables.intervals import read_table

    table = read_table(Table.of(block), block["reference"])
    for row in table.rows if block["reference"] else ():
        if all(cell.published is None for cell in table.cells_of(row)):
            print(
                f"{block['id']}: the paper has no row `{row.id}`; it is shown without published "
                "values"
            )
    latex = LatexStyle(**block.get("style", {}))
    page = score_page(table, block["title"], block["data"], block["notes"], latex)
    return page, table.all_cells
