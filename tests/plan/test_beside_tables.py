"""Tables of no paper that put both methods next to each other."""

import copy
import json

import pytest
from plans import plan_of

TABLES = ("methods-english", "methods-multilingual")


@pytest.mark.parametrize("of", ["default_config", "paper_config"])
@pytest.mark.parametrize("table", TABLES)
def test_each_row_has_every_cell_and_says_what_it_is_compared_with(of, table, request, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    plan = plan_of(copy.deepcopy(request.getfixturevalue(of)))
    block, methods = plan.typed.tables[table], {}
    assert block.paper == "own"
    cells = plan.cells.requests.cells["tables", table]
    assert len(cells) == len(block.rows) * len(block.columns)
    for (row, column), requests in cells.items():
        # the text of CMLM was not released
        absent = of == "paper_config" and row not in ("start", "mirror")
        assert requests, (row, column)
        assert {cell.absent is not None for cell in requests} == {absent}, (row, column)
        recipe = plan.typed.recipes[requests[0].dataset_request.recipe]
        methods.setdefault(row, set()).add((recipe.method, recipe.start and recipe.start.recipe))
    expected = {
        **{"start": {("none", None)}, "mlm": {("mlm", None)}, "mirror": {("mirror", None)}},
        **{"cmlm": {("cmlm", None)}, "cmlm-mirror": {("mirror", "cmlm")}},
        "cmlm-br-mirror": {("mirror", "cmlm-s3")},
    }
    # the first stage of S3 has a recipe of its own in the paper's config
    assert [method for method, _ in methods.pop("cmlm-br", {("cmlm", None)})] == ["cmlm"]
    assert methods == {row: expected[row] for row in methods} and len(methods) == 5
    assert [row.id for row in block.rows if row.against is None] == ["start"]


def test_what_ships_stands_under_its_own_heading_and_what_the_user_adds_under_theirs(
    default_config,
):
    config = copy.deepcopy(default_config)
    mine = copy.deepcopy(config["tables"][TABLES[0]])
    del mine["heading"]
    config["tables"]["mine"] = mine
    page = json.loads(plan_of(config).outputs.block("tables", "index"))
    heading = "Both methods, one after the other"
    listed = {
        section: [table["id"] for table in papers["tables"]]
        for section, papers in page["papers"].items()
        if section not in page["order"]
    }
    assert listed == {heading: [*TABLES], "own": ["mine"]}
    assert page["titles"][heading] == heading
    assert {headline["table"] for headline in page["overview"][heading]} == {*TABLES}
