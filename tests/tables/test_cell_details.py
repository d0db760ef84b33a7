"""What opens from a cell: the scores behind it, told in words."""

from typing import Any

from table_files import assemble


def details(tmp_path, make_table, row: int, column: int, **changes: Any) -> dict[str, Any]:
    """Return the terms of a cell of `make_table`, and its scores."""
    import json
    import re

    page = assemble(tmp_path, make_table(**changes)).html
    found = json.loads(
        re.search(r'<script type="application/json" id="cells">(.*?)</script>', page)[1]
    )
    lines, one = found["lines"], found["cells"][row * 3 + column]
    assert len(set(lines)) == len(lines)
    terms = {name: [lines[number] for number in numbers] for name, numbers in one["terms"]}
    return terms | {"title": one["title"], "scores": one["scores"]}


def test_a_cell_of_two_seeds_names_each_with_its_value(tmp_path, make_table):
    changes = {"comparable": ("bert-mirror",), "details": True}
    found = details(tmp_path, make_table, 2, 0, **changes)
    assert found["title"] == "+ Mirror: EN"
    # of .5 and .75
    assert found["Value"] == [".625 ± .177"]
    assert found["Seeds"] == ["33: .500, 44: .750"]
    assert found["Measured on"] == ["words-en (test), spearman: n 100, coverage 1.000"]
    assert [found[name] for name in ("Model", "Recipe", "Corpus")] == [
        ["m"],
        ["bert-mirror"],
        ["c"],
    ]
    assert found["Paper"] == [".556"]
    assert found["Status"] == ["compared with the paper: beyond the tolerance"]
    # .625 - .25, by the same resamples
    assert found["Difference"][0].startswith("+.375 to BERT-mp [")
    assert ", p < .001" in found["Difference"][0] or ", p = .00" in found["Difference"][0]
    assert len(found["scores"]) == 2


def test_an_average_is_of_all_columns_and_says_why_it_is_not_compared(tmp_path, make_table):
    found = details(tmp_path, make_table, 1, 2)
    assert found["Seeds"] == ["0"]
    assert [line.split()[0] for line in found["Measured on"]] == ["words-en", "words-fr"]
    assert found["Status"] == ["not comparable with the paper: a <small> model", "the sample data"]
    assert "95% interval" not in found and "Difference" not in found


def test_what_a_compared_cell_assumes_opens_from_it(tmp_path, make_table):
    block = make_table(comparable=("bert-mirror",))
    for row in (1, 2):
        block["rows"][row]["cells"]["en"]["assumptions"] = ["which layer", "how long"]
    changes = {"comparable": ("bert-mirror",), "rows": block["rows"]}
    assert details(tmp_path, make_table, 2, 0, **changes)["Assumed"] == ["which layer", "how long"]
    # not compared
    assert "Assumed" not in details(tmp_path, make_table, 1, 0, **changes)


def test_a_cell_that_was_not_run_says_why(tmp_path, make_table):
    found = details(tmp_path, make_table, 0, 0)
    assert found["Status"] == ["not run: no vectors"]
    assert found["Paper"] == [".528"]
    assert found["scores"] == [] and "Seeds" not in found
