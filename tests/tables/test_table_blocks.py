"""The block of config that describes a table."""

import json
from decimal import Decimal
from typing import Any

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.tables.blocks import Cell, Column, Part, parse_table_block

PART = {"dataset": "words-en", "metric": "spearman", "scores": ["a.tsv"]}
CELL = {"parts": [PART], "departures": [], "tolerance": 0.01}
COLUMN = {"id": "en", "label": "EN"}
ROW = {"id": "a", "label": "A"}


def block(**changes: Any) -> dict[str, Any]:
    return {
        "id": "t",
        "title": "T",
        "columns": [COLUMN],
        "rows": [ROW | {"cells": {"en": CELL}}],
    } | changes


def with_cell(**changes: Any) -> dict[str, Any]:
    return {"rows": [ROW | {"cells": {"en": CELL | changes}}]}


def test_cell_holds_its_parts_departures_and_tolerance() -> None:
    parts = [PART, PART | {"dataset": "words-fr", "scores": ["b.tsv", "c.tsv"]}]
    table = parse_table_block(
        json.dumps(block(**with_cell(parts=parts, departures=["a small model"], tolerance=0.25)))
    )
    assert table.rows[0].cells["en"] == Cell(
        parts=(
            Part("words-en", "spearman", ("a.tsv",)),
            Part("words-fr", "spearman", ("b.tsv", "c.tsv")),
        ),
        departures=("a small model",),
        tolerance=Decimal("0.25"),
    )


def test_row_that_is_not_run_gives_each_cell_the_reason() -> None:
    rows = [ROW | {"group": "g", "not_run": "no vectors"}]
    (row,) = parse_table_block(json.dumps(block(rows=rows))).rows
    assert row.cells == {"en": Cell(not_run="no vectors")}
    assert (row.group, row.against) == ("g", None)


def test_absent_keys_have_defaults_and_null_is_absent() -> None:
    table = parse_table_block(json.dumps(block(reference=None, average=None, notes=None)))
    assert (table.reference, table.average, table.notes) == (None, False, ())
    assert (table.rows[0].group, table.rows[0].against) == (None, None)
    assert table.shown_columns == (Column("en", "EN", 3, False),)


def test_average_is_the_last_column_and_shown_as_the_others() -> None:
    columns = [COLUMN | {"digits": 2, "lower_is_better": True}]
    table = parse_table_block(json.dumps(block(average=True, columns=columns)))
    assert table.shown_columns == (Column("en", "EN", 2, True), Column("avg", "avg.", 2, True))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"colour": "red"}, "--table-json: unknown option 'colour'"),
        ({"title": None}, "--table-json: option 'title' must be str"),
        ({"average": "yes"}, "--table-json: option 'average' must be bool"),
        ({"notes": [1]}, "table `t`, notes: expected strings, found 1"),
        ({"columns": []}, "table `t`: needs one column and one row"),
        ({"columns": [{"id": "en"}]}, "table `t`, column 1: option 'label' is missing"),
        ({"columns": [COLUMN | {"digits": 9}]}, "column 1: `digits` must be 0 to 6"),
        ({"columns": [COLUMN | {"dataset": "d"}]}, "column 1: unknown option 'dataset'"),
        (
            {
                "columns": [COLUMN, COLUMN | {"label": "E"}],
                "rows": [ROW | {"not_run": "x"}],
            },
            "ids of columns: `en` twice",
        ),
        ({"rows": [ROW]}, "table `t`, row 1 `a`: give either `cells` or `not_run`"),
        (
            {"rows": [ROW | {"not_run": "x", "cells": {"en": CELL}}]},
            "row 1 `a`: give either `cells` or `not_run`",
        ),
        ({"rows": [ROW | {"cells": {}}]}, "row 1 `a`.cells: option 'en' is missing"),
        ({"rows": [ROW | {"cells": {"en": {}}}]}, "cells.en: give either `parts` or `not_run`"),
        (with_cell(not_run="x"), "cells.en: give either `parts` or `not_run`"),
        (with_cell(parts=[]), "cells.en: `parts` is empty"),
        (with_cell(parts=[PART | {"scores": []}]), "cells.en, part 1: `scores` is empty"),
        (with_cell(parts=[PART | {"scores": ["x", "x"]}]), "part 1.scores: `x` twice"),
        (with_cell(departures=[3]), "cells.en.departures: expected strings, found 3"),
        (with_cell(departures=None), "cells.en: option 'departures' must be list"),
        (with_cell(tolerance=-0.1), "cells.en: `tolerance` must be zero or more"),
        (with_cell(tolerance=float("nan")), "cells.en: `tolerance` must be zero or more"),
        ({"rows": [ROW | {"not_run": "x"}] * 2}, "ids of rows: `a` twice"),
        (
            {"rows": [ROW | {"not_run": "x", "against": "b"}]},
            "row `a`: `against` must be the id of another row of the table, not 'b'",
        ),
        (
            {"rows": [ROW | {"not_run": "x", "against": "a"}]},
            "row `a`: `against` must be the id of another row of the table, not 'a'",
        ),
        (
            {
                "columns": [COLUMN | {"id": "avg"}],
                "rows": [ROW | {"not_run": "x"}],
                "average": True,
            },
            "ids of columns: `avg` twice",
        ),
        (
            {
                "columns": [COLUMN, {"id": "fr", "label": "FR", "digits": 2}],
                "rows": [ROW | {"not_run": "x"}],
                "average": True,
            },
            "`average` needs columns with the same `digits`",
        ),
    ],
)
def test_malformed_block_is_one_clear_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_table_block(json.dumps(block(**changes)))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_no_json_object_is_a_user_error(text: str) -> None:
    with pytest.raises(UserError, match="--table-json: "):
        parse_table_block(text)
