"""The details that open from a cell: the scores behind it, in words."""

import json
import re

import pytest


@pytest.fixture
def details(made, make_table):
    """What opens from a cell of `make_table`: its terms, title and scores; by row and column."""

    def details_of(row, column, assumptions=(), **changes):
        block = make_table(**changes)
        for of_row in block["rows"][1:3]:
            of_row["cells"]["en"]["assumptions"] = [*assumptions]
        page = made.assemble(block).html
        text = re.search(r'<script type="application/json" id="cells">(.*?)</script>', page)[1]
        content = json.loads(text)
        lines, cell = content["lines"], content["cells"][row * 3 + column]
        assert len(set(lines)) == len(lines)
        terms = {name: [lines[number] for number in numbers] for name, numbers in cell["terms"]}
        return terms | {"title": cell["title"], "scores": cell["scores"]}

    return details_of


def test_a_cell_of_two_seeds_names_each_with_its_value(details):
    shown = details(2, 0, ("which layer", "how long"), comparable=("bert-mirror",), details=True)
    # .625 - .25, by the same resamples
    (difference,) = shown.pop("Difference")
    assert re.fullmatch(r"\+\.375 to BERT-mp \[\.375, \.375\], p (< \.001|= \.00\d)", difference)
    assert re.fullmatch(r"\[\.5\d\d, \.6\d\d\]", shown.pop("95% interval")[0])
    assert len(shown.pop("scores")) == 2
    assert shown == {
        "title": "+ Mirror: EN",
        # of .5 and .75
        **{"Value": [".625 ± .177"], "Seeds": ["33: .500, 44: .750"], "Paper": [".556"]},
        "Measured on": ["words-en (test), spearman: n 100, coverage 1.000"],
        **{"Model": ["m"], "Recipe": ["bert-mirror"], "Corpus": ["c"]},
        "Status": ["compared with the paper: beyond the tolerance"],
        "Assumed": ["which layer", "how long"],
    }


def test_an_average_is_of_all_columns_and_says_why_it_is_not_compared(details):
    shown = details(1, 2, ("which layer",))
    assert shown["Seeds"] == ["0"]
    assert [line.split()[0] for line in shown["Measured on"]] == ["words-en", "words-fr"]
    assert shown["Status"] == ["not comparable with the paper: a <small> model", "the sample data"]
    assert not {"95% interval", "Difference", "Assumed"} & shown.keys()


def test_a_cell_that_was_not_run_says_why(details):
    shown = details(0, 0)
    assert shown == {
        **{"title": "fastText: EN", "Paper": [".528"], "Status": ["not run: no vectors"]},
        "scores": [],
    }
