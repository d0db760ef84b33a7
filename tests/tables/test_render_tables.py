"""What the three forms of a table show, and that they show the same."""

import csv
import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from html_reading import Page
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.tables.assemble_table import main
from workflow_scripts.tables.numbers import (
    format_difference,
    format_number,
    format_published,
    format_tolerance,
)

MakeTable = Callable[..., list[str]]
MIRROR = "+ Mirror<br><sub>↑↓ to BERT-mp</sub>"


def forms(arguments: list[str]) -> tuple[list[dict[str, str]], str, str]:
    """Run the command; return the rows of the tsv, the Markdown and the HTML."""
    main(arguments)
    prefix = Path(arguments[-1])
    with open(f"{prefix}.tsv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return rows, Path(f"{prefix}.md").read_text("utf-8"), Path(f"{prefix}.html").read_text("utf-8")


def markdown_rows(text: str) -> list[list[str]]:
    """Return the cells of the first table, the line of dashes left out."""
    table = re.search(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    assert table is not None
    lines = table.group().splitlines()
    del lines[1]
    return [[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.556, ".556"),
        (-0.0234, "-.023"),
        (1.0, "1.000"),
        (-1.0, "-1.000"),
        (0.9996, "1.000"),
        (-0.0001, ".000"),
        (0, ".000"),
        (Decimal("0.53"), ".530"),
    ],
)
def test_numbers_look_as_in_the_paper(value: float | Decimal, text: str) -> None:
    assert format_number(value) == text


@pytest.mark.parametrize(("value", "text"), [("0.012", "+.012"), ("-0.5", "-.500"), ("0", ".000")])
def test_differences_carry_their_sign(value: str, text: str) -> None:
    assert format_difference(Decimal(value)) == text


@given(st.floats(-1, 1))
def test_any_score_is_three_digits_without_a_leading_zero(value: float) -> None:
    text = format_number(value)
    assert re.fullmatch(r"-?(1\.000|\.\d{3})", text)
    assert abs(float(text) - value) <= 0.0005 + 1e-12
    assert text != "-.000"


@pytest.mark.parametrize(
    ("value", "digits", "text"), [(13.794, 2, "13.79"), (0.7142, 2, ".71"), (-0.004, 2, ".00")]
)
def test_columns_may_have_other_digits(value: float, digits: int, text: str) -> None:
    assert format_number(value, digits) == text


@pytest.mark.parametrize(
    ("value", "text"), [("12.8", "12.8"), ("0.0120", ".0120"), ("-0.5", "-.5"), ("1.000", "1.000")]
)
def test_published_values_keep_their_digits(value: str, text: str) -> None:
    assert format_published(Decimal(value)) == text


@pytest.mark.parametrize(("value", "text"), [("0.010", ".01"), ("10", "10"), ("0.5", ".5")])
def test_tolerances_have_the_digits_they_need(value: str, text: str) -> None:
    assert format_tolerance(Decimal(value)) == text


def test_tsv_has_seven_fields_for_each_column(make_table: MakeTable) -> None:
    rows, _, _ = forms(make_table(comparable=("bert-mirror",), details=True))
    parts = ("", " sd", " low", " high", " published", " difference", " status")
    assert list(rows[0]) == [
        "row",
        "label",
        *(f"{label}{part}" for label in ("EN", "FR", "avg.") for part in parts),
    ]
    mirror = rows[2]
    assert (mirror["row"], mirror["label"]) == ("bert-mirror", "+ Mirror")
    shown = ("", " sd", " published", " difference", " status")
    # mean of .5 and .75, deviation .25 / sqrt 2; .625 - .556
    assert [mirror[f"EN{part}"] for part in shown] == [
        "0.625",
        "0.177",
        "0.556",
        "0.069",
        "outside",
    ]
    assert float(mirror["EN low"]) < 0.625 < float(mirror["EN high"])
    # averages per seed .375 and .5: mean .4375, deviation .125 / sqrt 2
    assert [mirror[f"avg.{part}"] for part in shown] == [
        "0.438",
        "0.088",
        "0.471",
        "-0.033",
        "outside",
    ]
    assert mirror["FR status"] == "inside"


def test_tsv_is_empty_where_not_run_or_not_comparable(make_table: MakeTable) -> None:
    rows, _, _ = forms(make_table(comparable=("bert-mirror",)))
    fasttext, bert, _, mbert = rows
    assert [fasttext[k] for k in ("EN", "EN sd", "EN published")] == ["", "", "0.528"]
    assert (bert["EN"], bert["EN sd"], bert["EN published"]) == ("0.250", "", "0.267")
    assert {row["EN difference"] for row in (fasttext, bert, mbert)} == {""}
    assert (mbert["EN"], mbert["FR"], mbert["avg."]) == ("0.500", "", "")
    assert {row["EN low"] for row in rows} == {""}
    assert [row["EN status"] for row in (fasttext, bert, mbert)] == [
        "not-run",
        "not-comparable",
        "no-published",
    ]


def test_markdown_rows_all_have_the_columns_of_the_header(make_table: MakeTable) -> None:
    _, text, _ = forms(make_table())
    rows = markdown_rows(text)
    assert rows[0] == ["", "EN", "FR", "avg."]
    assert {len(row) for row in rows} == {4}
    # families: fastText, monolingual, multilingual, with an empty row between them
    assert [row[0] for row in rows[1:]] == ["fastText", "", "BERT-mp", MIRROR, "", "+ Mirror"]


def test_markdown_shows_difference_only_where_comparable(make_table: MakeTable) -> None:
    _, text, _ = forms(make_table(comparable=("bert-mirror",)))
    rows = markdown_rows(text)
    assert rows[3] == ["BERT-mp", ".250<br><sub>paper .267</sub>", "<u>.125</u>", rows[3][3]]
    assert rows[4] == [
        MIRROR,
        "**.625** ±.177<br>↑.375<br>paper .556, +.069 !",
        "**.250** ±.000<br>↑.125<br>paper .245, +.005",
        "**.438** ±.088<br>↑.250<br>paper .471, -.033 !",
    ]
    assert rows[6][1] == "<u>.500</u>"
    assert "In 3 of 5 cells model, data and recipe are the paper's" in text
    assert "here .01. A difference beyond it is marked !" in text


def test_interval_and_significance_stand_in_the_cell(make_table: MakeTable) -> None:
    _, text, page = forms(make_table(details=True))
    cell = markdown_rows(text)[4][1]
    assert re.fullmatch(
        r"\*\*\.625\*\* ±\.177<br><sub>\\\[\.5\d\d, \.6\d\d\\\]</sub><br>↑\.375\\\*"
        r"<br><sub>paper \.556</sub>",
        cell,
    )
    assert re.search(r'<span class="interval">\[\.5\d\d, \.6\d\d\]</span>', page)
    assert '<span class="against">↑.375*</span>' in page
    for form in (text, page):
        assert "95% bootstrap interval over the items" in form
        assert "paired bootstrap over items" in form
        assert "not corrected for the number of comparisons" in form


def test_table_without_replicates_speaks_of_no_bootstrap(make_table: MakeTable) -> None:
    _, text, page = forms(make_table())
    assert "bootstrap" not in text + page
    assert 'class="interval"' not in page


def test_table_without_comparable_cells_says_so_and_takes_no_difference(
    make_table: MakeTable,
) -> None:
    rows, text, page = forms(make_table())
    for form in (text, page.replace("&#x27;", "'")):
        assert "Not comparable with the paper: in no cell are model, data and recipe" in form
        assert "nothing here reproduces the paper" in form
    assert all(row["EN difference"] == "" for row in rows)
    assert 'class="difference"' not in page
    assert "Tolerance" not in text + page
    assert re.search(r"paper \.\d+,", text) is None


def test_departures_are_listed_with_the_number_of_cells(make_table: MakeTable) -> None:
    no_french = {"fr": {"not_run": "no French"}}
    arguments = make_table()
    at = arguments.index("--table-json") + 1
    block = json.loads(arguments[at])
    block["rows"][2]["cells"]["en"]["departures"] = ["the sampler", "the sampler", "a recipe"]
    block["rows"][3]["cells"] |= no_french
    arguments[at] = json.dumps(block)
    _, text, page = forms(arguments)
    # with a value of the paper and an own one: two of BERT-mp, three of + Mirror
    assert re.findall(r"^- .*$", text, flags=re.MULTILINE) == [
        r"- a \<small\> model (4 of 5 cells)",
        "- the sampler (all 5 cells)",
        "- a recipe (2 of 5 cells)",
    ]
    assert "<li>a &lt;small&gt; model (4 of 5 cells)</li>" in page


def test_table_with_comparable_cells_alone_needs_no_reservation(make_table: MakeTable) -> None:
    arguments = make_table(comparable=("bert-mp", "bert-mirror", "mbert-mirror"))
    _, text, _ = forms(arguments)
    assert "Model, data and recipe are the paper's: below each value" in text
    assert "not compar" not in text


def test_table_of_which_nothing_ran_says_so(make_table: MakeTable) -> None:
    rows = [{"id": "fasttext", "label": "fastText", "not_run": "no vectors"}]
    _, text, _ = forms(make_table(rows=rows))
    assert "Nothing of this table was run" in text


def test_table_without_reference_needs_no_published_values(make_table: MakeTable) -> None:
    arguments = make_table(reference=None)
    # an empty list of references is how the rule gives none
    at = arguments.index("--reference")
    rows, text, _ = forms(arguments[: at + 1] + arguments[at + 2 :])
    assert "The paper has no values for this table." in text
    assert "paper ." not in text
    assert {row["EN published"] for row in rows} == {""}


def test_missing_reference_is_a_user_error(make_table: MakeTable) -> None:
    arguments = make_table()
    at = arguments.index("--reference")
    with pytest.raises(UserError, match="needs the published values of `table01`"):
        main(arguments[:at] + arguments[at + 2 :])


def test_cells_not_run_have_a_numbered_reason(make_table: MakeTable) -> None:
    _, text, page = forms(make_table())
    rows = markdown_rows(text)
    assert rows[1] == ["fastText", "–<sup>1</sup><br><sub>paper .528</sub>", *["–<sup>1</sup>"] * 2]
    assert rows[6][2:] == ["–<sup>2</sup>", "–<sup>3</sup>"]
    reasons = re.findall(r"^\d\. .*$", text, flags=re.MULTILINE)
    assert reasons == [
        "1. no vectors",
        r"2. no French \<model\>",
        "3. averages are over whole rows only",
    ]
    assert '<li id="reason2">no French &lt;model&gt;</li>' in page


def test_n_and_coverage_stand_below(make_table: MakeTable) -> None:
    _, text, page = forms(make_table())
    assert "| words-en | 100 | 1.000 | none |" in text
    assert Page(page).tables[1] == [
        ["Data set", "n", "Coverage", "Dropped"],
        ["words-en", "100", "1.000", "none"],
        ["words-fr", "100", "1.000", "none"],
    ]


def test_text_is_escaped_in_both_forms(make_table: MakeTable) -> None:
    _, text, page = forms(make_table())
    assert text.startswith("# Words \\| \\<rho\\>\n")
    assert "A \\*note\\* & more" in text
    assert "<h1>Words | &lt;rho&gt;</h1>" in page
    assert "A *note* &amp; more" in page
    assert Page(page).captions[0] == "Own scores and, below them, the paper's values"


@pytest.mark.parametrize("comparable", [(), ("bert-mirror",)])
def test_html_shows_the_values_of_the_tsv(make_table: MakeTable, comparable: tuple[str]) -> None:
    rows, _, page = forms(make_table(comparable=comparable, details=True))
    header, *shown = Page(page).tables[0]
    assert header[1:] == ["EN", "FR", "avg."]
    for line, row in zip(shown, rows, strict=True):
        assert line[0].removesuffix(" ↑↓ to BERT-mp") == row["label"]
        for text, label in zip(line[1:], header[1:], strict=True):
            expected = format_number(Decimal(row[label])) if row[label] else "–"
            assert re.match(r"–|-?\.\d{3}|1\.000", text).group() == expected
            deviation = re.search(r"±(\.\d{3})", text)
            assert (deviation is not None) == (row[f"{label} sd"] != "")
            if deviation is not None:
                assert Decimal(deviation.group(1)) == Decimal(row[f"{label} sd"])
            paper = re.search(r"paper (\.\d{3})(?:, ([+-]?\.\d{3}))?", text)
            assert (paper is not None) == (row[f"{label} published"] != "")
            if paper is not None:
                assert Decimal(paper.group(1)) == Decimal(row[f"{label} published"])
                difference = row[f"{label} difference"]
                assert (paper.group(2) is not None) == (difference != "")
                assert not difference or Decimal(paper.group(2)) == Decimal(difference)
            assert text.endswith("!") == (row[f"{label} status"] == "outside")
            interval = re.search(r"\[(\.\d{3}), (\.\d{3})\]", text)
            assert (interval is not None) == (row[f"{label} low"] != "")
            if interval is not None:
                low, high = row[f"{label} low"], row[f"{label} high"]
                assert list(map(Decimal, interval.groups())) == [Decimal(low), Decimal(high)]


def test_html_is_whole_accessible_and_fetches_nothing(make_table: MakeTable) -> None:
    _, _, text = forms(make_table(comparable=("bert-mirror",)))
    page = Page(text)
    assert page.bodies == 3 + 1
    assert len(page.ids) == len(set(page.ids))
    assert all(scope in ("row", "col") for tag, scope in page.scopes if tag == "th")
    inside = {link.removeprefix("#") for link in page.links if link.startswith("#")}
    assert inside <= set(page.ids)
    assert {link for link in page.links if not link.startswith("#")} == {
        "index.html",
        "table01.tsv",
        "table01.md",
        "table01.tex",
        "cells/table01.tsv",
    }
    assert "http" not in text and "url(" not in text
    assert '<html lang="en">' in text


def test_outputs_are_the_same_bytes_again(make_table: MakeTable) -> None:
    arguments = make_table(comparable=("bert-mirror",))
    main(arguments)
    outputs = sorted(path for path in Path(arguments[-1]).parent.rglob("*") if path.is_file())
    assert [path.suffix for path in outputs] == [".tsv", ".html", ".md", ".tex", ".tsv"]
    before = [path.read_bytes() for path in outputs]
    at = arguments.index("--scores")
    until = arguments.index("--details")
    backwards = arguments[at + 1 : until][::-1]
    main([*arguments[: at + 1], *backwards, *arguments[until:]])
    assert [path.read_bytes() for path in outputs] == before


def test_outputs_name_no_path_of_this_machine(make_table: MakeTable, tmp_path: Path) -> None:
    arguments = make_table()
    main(arguments)
    for path in Path(arguments[-1]).parent.rglob("*.*"):
        assert str(tmp_path) not in path.read_text(encoding="utf-8")


def test_faulty_scores_leave_no_output(make_table: MakeTable, tmp_path: Path) -> None:
    arguments = make_table()
    path = tmp_path / "bert-mp-0.tsv"
    path.write_text(path.read_text().replace("words-fr", "words-xx"))
    with pytest.raises(UserError, match=r"bert-mp-0\.tsv: no row with dataset `words-fr`"):
        main(arguments)
    assert not (tmp_path / "out").exists()


def test_row_that_the_paper_lacks_is_told_of(
    make_table: MakeTable, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "fasttext", "label": "f", "not_run": "x"},
        {"id": "mine", "label": "m", "not_run": "x"},
    ]
    main(make_table(rows=rows))
    assert capsys.readouterr().out == (
        "table01: the paper has no row `mine`; it stands without its values\n"
    )
