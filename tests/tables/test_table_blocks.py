"""The block of config that describes a table."""

import json
from typing import Any

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.tables.blocks import Cell, parse_table_block


def block(**changes: Any) -> dict[str, Any]:
    return {
        "id": "t",
        "title": "T",
        "columns": [{"id": "en", "label": "EN", "dataset": "words-en", "metric": "spearman"}],
        "rows": [{"id": "a", "label": "A", "cells": {"en": {"scores": ["a.tsv"]}}}],
    } | changes


def test_row_that_is_not_run_gives_each_cell_the_reason() -> None:
    rows = [{"id": "a", "label": "A", "group": "g", "comparable": False, "not_run": "no vectors"}]
    (row,) = parse_table_block(json.dumps(block(rows=rows))).rows
    assert row.cells == {"en": Cell(not_run="no vectors")}
    assert (row.group, row.comparable) == ("g", False)


def test_absent_keys_have_defaults_and_null_is_absent() -> None:
    table = parse_table_block(json.dumps(block(reference=None)))
    assert (table.reference, table.average, table.notes) == (None, False, ())
    assert (table.rows[0].group, table.rows[0].comparable) == (None, False)
    assert table.column_ids == ["en"]


def test_average_is_the_last_column() -> None:
    table = parse_table_block(json.dumps(block(average=True)))
    assert (table.column_ids, table.column_labels) == (["en", "avg"], ["EN", "avg."])


COLUMN = {"id": "en", "label": "EN", "dataset": "d", "metric": "m"}
ROW = {"id": "a", "label": "A"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"colour": "red"}, "--table-json: unknown key `colour`"),
        ({"title": None}, "--table-json: `title` must be a str"),
        ({"average": "yes"}, "--table-json: `average` must be a bool"),
        ({"notes": [1]}, "table `t`, notes: expected strings, found 1"),
        ({"columns": []}, "table `t`: needs one column and one row"),
        ({"columns": [{"id": "en"}]}, "table `t`, column 1: key `label` is missing"),
        ({"columns": [COLUMN, COLUMN | {"label": "E"}]}, "ids of columns: `en` twice"),
        ({"rows": [ROW]}, "table `t`, row 1 `a`: give either `cells` or `not_run`"),
        ({"rows": [ROW | {"cells": {}}]}, "row 1 `a`.cells: key `en` is missing"),
        ({"rows": [ROW | {"cells": {"en": {}}}]}, "cells.en: give either `scores` or `not_run`"),
        ({"rows": [ROW | {"cells": {"en": {"scores": []}}}]}, "cells.en: `scores` is empty"),
        ({"rows": [ROW | {"cells": {"en": {"scores": ["x", "x"]}}}]}, "scores: `x` twice"),
        ({"rows": [ROW | {"not_run": "x"}] * 2}, "ids of rows: `a` twice"),
        (
            {
                "columns": [COLUMN | {"id": "avg"}],
                "rows": [ROW | {"not_run": "x"}],
                "average": True,
            },
            "ids of columns: `avg` twice",
        ),
    ],
)
def test_malformed_block_is_one_clear_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_table_block(json.dumps(block(**changes)))
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_no_json_object_is_a_user_error(text: str) -> None:
    with pytest.raises(UserError, match="--table-json: "):
        parse_table_block(text)
